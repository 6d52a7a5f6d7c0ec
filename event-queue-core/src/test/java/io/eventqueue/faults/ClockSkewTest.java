package io.eventqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.HandlerResult;
import io.eventqueue.Shard;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.outbox.TransactionalEventQueue;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The nodes' clocks are ten minutes away from the database's, in both directions. The
 * database decides what is due and whose lease is over, so nothing is late and nothing is
 * stolen.
 */
class ClockSkewTest {

    private static final Duration LEASE = Duration.ofSeconds(4);

    record Placed(int number) {
    }

    @ParameterizedTest
    @ValueSource(strings = { "10 minutes", "-10 minutes" })
    void skewNeitherDelaysWorkNorStealsLeases(String skew) {
        try (FreshDatabase fresh = TestDatabase.POSTGRESQL.create()) {
            SchemaMigration.migrate(fresh.dataSource());
            JdbcTemplate admin = new JdbcTemplate(fresh.dataSource());
            admin.execute("CREATE SCHEMA skew");
            admin.execute("CREATE FUNCTION skew.statement_timestamp() RETURNS timestamptz LANGUAGE sql AS"
                    + " $$ SELECT pg_catalog.statement_timestamp() + interval '" + skew + "' $$");
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(fresh.jdbcUrl());
            config.setUsername(fresh.user());
            config.setPassword(fresh.password());
            config.setConnectionInitSql("SET search_path TO skew, pg_catalog, public");
            try (HikariDataSource pool = new HikariDataSource(config)) {
                work(pool);
            }
        }
    }

    private static void work(HikariDataSource pool) {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch release = new CountDownLatch(1);
        EventHandlerRegistry registry = EventHandlerRegistry.eventHandlerRegistry()
            .withHandler(Placed.class, "slow", event -> {
                calls.incrementAndGet();
                release.await();
                return HandlerResult.success();
            })
            .build();
        Database database = Database.of(Shard.of("main", pool));
        TransactionalEventQueue queue = TransactionalEventQueue.eventQueue(database).build();
        EventHandlingJob handling = handling(database, registry);
        EventHandlingJob rival = handling(Database.of(Shard.of("main", pool)), registry);
        EventFanoutJob fanout = EventFanoutJob.eventFanoutJob()
            .databases(List.of(database))
            .eventHandlerRegistry(registry)
            .handlingJob(handling)
            .build();
        handling.start();
        rival.start();
        fanout.start();
        try {
            queue.publish(new Placed(1));
            await().until(() -> calls.get() == 1);
            JdbcTemplate jdbc = new JdbcTemplate(pool);
            await().until(() -> !leases(jdbc).isEmpty());
            List<Instant> first = leases(jdbc);
            // The rival looks every 100 ms.
            await().until(() -> leases(jdbc).getFirst().isAfter(first.getFirst().plus(LEASE)));
            assertThat(calls).hasValue(1);
            release.countDown();
            await().until(() -> jdbc.queryForObject("SELECT count(*) FROM eventlog.event_log", Integer.class) == 1);
        }
        finally {
            release.countDown();
            fanout.stop();
            handling.stop();
            rival.stop();
        }
    }

    /** Until when the running delivery is claimed, once it has its notification. */
    private static List<Instant> leases(JdbcTemplate jdbc) {
        return jdbc.query("SELECT lease_until FROM eventlog.event_notifications",
                (rs, row) -> rs.getTimestamp(1).toInstant());
    }

    private static EventHandlingJob handling(Database database, EventHandlerRegistry registry) {
        return EventHandlingJob.eventHandlingJob()
            .databases(List.of(database))
            .eventHandlerRegistry(registry)
            .abandonmentTimeout(LEASE)
            .pollDelay(Duration.ofMillis(100))
            .build();
    }

}
