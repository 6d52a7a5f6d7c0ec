package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.HandlerResult;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node in a JVM of its own with a heap of 48 MB works off 200,000 events of 1 kB.
 * {@code -Dbacklog.events=1000000} makes it a million.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class BacklogTest {

    private static final int EVENTS = Integer.getInteger("backlog.events", 200_000);

    private static final String HEAP = "-Xmx48m";

    record Placed(int number, String text) {
    }

    @Test
    void aLargeBacklogIsDrainedWithABoundedHeap(@TempDir Path directory) throws Exception {
        try (FreshDatabase fresh = TestDatabase.POSTGRESQL.create()) {
            SchemaMigration.migrate(fresh.dataSource());
            Node publisher = new Node(fresh.dataSource(), null, EventHandlerRegistry.eventHandlerRegistry().build());
            String text = "x".repeat(1000);
            for (int from = 0; from < EVENTS; from += 5000) {
                publisher.queue
                    .publishAll(IntStream.range(from, from + 5000).mapToObj(i -> new Placed(i, text)).toList());
            }
            Path output = directory.resolve("node.log");
            Process node = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), HEAP,
                    "-XX:+ExitOnOutOfMemoryError", "-cp", System.getProperty("java.class.path"),
                    DrainingNode.class.getName(), fresh.jdbcUrl(), fresh.user(), fresh.password())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
            try {
                assertThat(node.waitFor(15, TimeUnit.MINUTES)).as("ended").isTrue();
                assertThat(node.exitValue()).as(Files.readString(output)).isZero();
            }
            finally {
                node.destroyForcibly();
            }
            assertThat(publisher.database.query("SELECT count(*) FROM {event_log} WHERE status = 'COMPLETED'", Map.of(),
                    (rs, row) -> rs.getInt(1)))
                .containsExactly(EVENTS);
        }
    }

    /** Runs until nothing is left. */
    static final class DrainingNode {

        private DrainingNode() {
        }

        public static void main(String[] arguments) {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(arguments[0]);
            pool.setUsername(arguments[1]);
            pool.setPassword(arguments[2]);
            EventHandlerRegistry registry = EventHandlerRegistry.eventHandlerRegistry()
                .withHandler(Placed.class, "a", event -> HandlerResult.success())
                .build();
            try (pool; Node node = new Node(pool, null, registry).start()) {
                await().atMost(Duration.ofMinutes(14))
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> node.database.query("SELECT 1 FROM {events} LIMIT 1", Map.of(), (rs, row) -> row)
                        .equals(List.of()));
            }
        }

    }

}
