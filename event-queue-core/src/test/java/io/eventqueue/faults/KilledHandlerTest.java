package io.eventqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.eventqueue.EventStatus;
import io.eventqueue.Notification;
import io.eventqueue.NotificationState;
import io.eventqueue.Shard;
import io.eventqueue.faults.DyingNode.Moment;
import io.eventqueue.faults.FaultNode.Fact;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.outbox.TransactionalEventQueue;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * An effectively-once handler whose process is really killed. Processes cannot share an
 * H2 database in memory; there the contract plays the kill.
 */
class KilledHandlerTest {

    @TempDir
    private Path directory;

    static Stream<Arguments> databasesAndMoments() {
        return Stream.of(TestDatabase.POSTGRESQL, TestDatabase.MARIADB, TestDatabase.MYSQL)
            .flatMap(kind -> EnumSet.complementOf(EnumSet.of(Moment.NEVER))
                .stream()
                .map(moment -> Arguments.of(kind, moment)));
    }

    @ParameterizedTest
    @MethodSource("databasesAndMoments")
    void whatItWroteExistsOnce(TestDatabase kind, Moment moment) throws Exception {
        assumeTrue(kind.isAvailable());
        try (FreshDatabase fresh = kind.create(3)) {
            SchemaMigration.migrate(fresh.dataSource());
            JdbcTemplate jdbc = new JdbcTemplate(fresh.dataSource());
            jdbc.execute("CREATE TABLE effects (number INT, handler VARCHAR(20))");
            TransactionalEventQueue queue = TransactionalEventQueue
                .eventQueue(Database.of(Shard.of("main", fresh.dataSource())))
                .build();
            UUID event = queue.publish(new Fact(1));

            Process victim = start(fresh, moment);
            assertThat(victim.waitFor(2, TimeUnit.MINUTES)).as(log()).isTrue();
            assertThat(victim.exitValue()).as(log()).isEqualTo(DyingNode.KILLED);
            int committed = moment == Moment.AFTER_THE_COMMIT ? 1 : 0;
            // The server rolls back when it notices that nobody is there any more.
            await().untilAsserted(() -> assertThat(jdbc.queryForList("SELECT * FROM effects")).hasSize(committed));

            Process heir = start(fresh, Moment.NEVER);
            try {
                UUID later = queue.publish(new Fact(2));
                for (UUID id : List.of(later, event)) {
                    await().untilAsserted(() -> assertThat(queue.find(id).orElseThrow().status()).as(log())
                        .isEqualTo(EventStatus.COMPLETED));
                }
                assertThat(queue.notifications(event)).as("nothing is left to take over by mistake")
                    .extracting(Notification::state)
                    .containsExactly(NotificationState.SUCCEEDED);
                assertThat(jdbc.queryForList("SELECT number FROM effects", Integer.class)).containsExactlyInAnyOrder(1,
                        2);
            }
            finally {
                heir.destroyForcibly();
            }
        }
    }

    private Process start(FreshDatabase fresh, Moment moment) throws Exception {
        return NodeProcess
            .java(directory.resolve("node.log"), DyingNode.class, fresh.jdbcUrl(), fresh.user(), fresh.password(),
                    moment.name())
            .start();
    }

    private String log() throws Exception {
        return Files.readString(directory.resolve("node.log"));
    }

}
