package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventHandlerRegistry.Builder;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerResult;
import io.eventqueue.PublishOptions;
import io.eventqueue.RetryPolicy;
import io.eventqueue.testsupport.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Handlers that misbehave, many of everything, and a pool that is too small. */
class StrainTest extends DatabaseContract {

    private static final int FAILURES = 100_000;

    /**
     * Fan-out, claims, outcomes, leases and maintenance: each loop of a shard has at most
     * one.
     */
    private static final int CONNECTIONS_PER_SHARD = 5;

    record Placed(int number) {
    }

    record Large(String text) {
    }

    private final Set<Object> seen = ConcurrentHashMap.newKeySet();

    StrainTest() {
        super(TestDatabase.POSTGRESQL);
    }

    private Builder recording() {
        return handlers().withHandler(Placed.class, "fine", event -> {
            seen.add(event.number());
            return HandlerResult.success();
        });
    }

    @Test
    void aHandlerThatIgnoresInterruptionOccupiesItsPlaceAndNothingElse() {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        EventHandlerRegistry registry = recording()
            .withHandler(HandlerDefinition.builder("deaf", Placed.class, envelope -> {
                calls.incrementAndGet();
                awaitDeaf(release, () -> seen.add("interrupted"));
                return HandlerResult.success();
            })
                .timeout(Duration.ofMillis(100))
                .retryPolicy(RetryPolicy.inherited().withBackoff(Duration.ofHours(1), Duration.ofHours(1)))
                .build())
            .build();
        try (Node node = new Node(fresh.dataSource(), null, registry, b -> b.shutdownTimeout(Duration.ofSeconds(1)))
            .start()) {
            node.queue.publishAll(IntStream.range(0, 2).mapToObj(Placed::new).toList());
            await().until(() -> count(node,
                    "SELECT count(*) FROM {event_notifications} WHERE state = 'FAILED' AND last_error LIKE '%timeout%'") == 2);
            node.queue.publish(new Placed(2));
            await().until(() -> seen.containsAll(List.of(0, 1, 2, "interrupted")) && calls.get() == 3);
        }
        finally {
            release.countDown();
        }
    }

    @Test
    void aHandlerWhoseClassDoesNotLoadFailsAlone() {
        EventHandlerRegistry registry = recording().withHandler(Placed.class, "unloadable", event -> {
            throw new NoClassDefFoundError("com/example/Missing");
        }).build();
        try (Node node = new Node(fresh.dataSource(), null, registry)) {
            node.queue.publish(new Placed(1));
            node.drain();
            assertThat(seen).containsExactly(1);
            assertThat(count(node,
                    "SELECT count(*) FROM {event_attempts} WHERE error_class = 'java.lang.NoClassDefFoundError'"))
                .isEqualTo(1);
        }
    }

    @Test
    void payloadsUpToTheLimitPassThrough() {
        String text = "x".repeat((1 << 20) - 100);
        EventHandlerRegistry registry = handlers().withHandler(Large.class, "large", event -> {
            seen.add(event.text().length());
            return HandlerResult.success();
        }).build();
        try (Node node = new Node(fresh.dataSource(), null, registry)) {
            IntStream.range(0, 20).forEach(i -> node.queue.publish(new Large(text)));
            node.drain();
            assertThat(seen).containsExactly(text.length());
            assertThat(count(node, "SELECT count(*) FROM {event_log} WHERE status = 'COMPLETED'")).isEqualTo(20);
        }
    }

    @Test
    void failuresOfOneMomentReturnSpreadOut() {
        EventHandlerRegistry registry = handlers()
            .withHandler(HandlerDefinition
                .builder("failing", Placed.class, envelope -> HandlerResult.transientError("all at once", null))
                .retryPolicy(RetryPolicy.inherited().withJitter(0.5))
                .build())
            .build();
        try (Node node = new Node(fresh.dataSource(), clock, registry,
                settings -> settings.batchSize(1000).concurrency(1000))) {
            Instant start = clock.instant();
            for (int i = 0; i < FAILURES / 1000; i++) {
                node.queue.publishAll(IntStream.range(0, 1000).mapToObj(Placed::new).toList());
            }
            node.drain();
            List<Long> perSecond = node.database.query("""
                    SELECT count(*) FROM {event_notifications} GROUP BY date_trunc('second', next_retry_at)""",
                    Map.of(), (rs, row) -> rs.getLong(1));
            assertThat(perSecond).as("15 seconds to return in")
                .hasSizeGreaterThan(10)
                .allMatch(due -> due < FAILURES / 5);
            assertThat(node.database.query("SELECT min(next_retry_at) AS first FROM {event_notifications}", Map.of(),
                    (rs, row) -> node.database.dialect().instant(rs, "first")))
                .allSatisfy(first -> assertThat(first).isAfter(start.plusSeconds(14)));
        }
    }

    @Test
    void aThousandHandlersOfAHundredTypesShareANode() {
        Builder registry = handlers();
        AtomicInteger calls = new AtomicInteger();
        for (int i = 0; i < 1000; i++) {
            registry.withHandler(HandlerDefinition.builder("handler-" + i, List.of("Type" + i % 100), envelope -> {
                calls.incrementAndGet();
                return HandlerResult.success();
            }).build());
        }
        try (Node node = new Node(fresh.dataSource(), null, registry.build()).start()) {
            for (int type = 0; type < 100; type++) {
                node.queue.publish(new Placed(type), PublishOptions.none().type("Type" + type));
            }
            await().until(() -> count(node, "SELECT count(*) FROM {event_log}") == 100);
        }
        assertThat(calls).hasValue(1000);
    }

    @Test
    void anExhaustedPoolIsWaitedForAndReported() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(fresh.jdbcUrl());
        config.setUsername(fresh.user());
        config.setPassword(fresh.password());
        config.setMaximumPoolSize(2);
        config.setConnectionTimeout(300);
        AtomicInteger reported = new AtomicInteger();
        try (HikariDataSource pool = new HikariDataSource(config);
                Node node = new Node(pool, null, recording().build(), b -> b.listener(new Reporting(reported)))) {
            try (Connection one = pool.getConnection(); Connection two = pool.getConnection()) {
                node.start();
                await().until(() -> reported.get() > 2);
                assertThat(one.isValid(1) && two.isValid(1)).isTrue();
            }
            // Not from the small pool, whose callers may have to wait too long.
            Node publisher = opened(new Node(fresh.dataSource(), null, handlers().build()));
            publisher.queue.publish(new Placed(1));
            await().until(() -> count(publisher, "SELECT count(*) FROM {event_log}") == 1);
        }
    }

    @Test
    void theEngineTakesNoMoreConnectionsThanDocumented() {
        CountingDataSource counting = new CountingDataSource(fresh.dataSource());
        try (Node node = new Node(counting, null, recording().build()).start()) {
            node.queue.publishAll(IntStream.range(0, 3000).mapToObj(Placed::new).toList());
            await().until(() -> seen.size() == 3000);
        }
        assertThat(counting.most.get()).isBetween(1, CONNECTIONS_PER_SHARD + 1);
    }

    /** Counts failed rounds. */
    private record Reporting(AtomicInteger rounds) implements io.eventqueue.EventQueueListener {

        @Override
        public void roundFailed(String loop, Exception cause) {
            rounds.incrementAndGet();
        }

    }

    /** Knows how many connections were open at most. */
    private static final class CountingDataSource extends DelegatingDataSource {

        private final AtomicInteger open = new AtomicInteger();

        private final AtomicInteger most = new AtomicInteger();

        CountingDataSource(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            most.accumulateAndGet(open.incrementAndGet(), Math::max);
            return (Connection) java.lang.reflect.Proxy.newProxyInstance(getClass().getClassLoader(),
                    new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
                        if (method.getName().equals("close")) {
                            open.decrementAndGet();
                        }
                        return method.invoke(connection, arguments);
                    });
        }

    }

}
