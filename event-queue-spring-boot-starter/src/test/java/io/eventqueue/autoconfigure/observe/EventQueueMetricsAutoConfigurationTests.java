package io.eventqueue.autoconfigure.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventHandler;
import io.eventqueue.EventQueue;
import io.eventqueue.EventQueueListener;
import io.eventqueue.PublishOptions;
import io.eventqueue.UnrecoverableEventException;
import io.eventqueue.autoconfigure.EventQueueAutoConfiguration;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

class EventQueueMetricsAutoConfigurationTests {

    private final ApplicationContextRunner withoutRegistry = new ApplicationContextRunner()
        .withConfiguration(
                AutoConfigurations.of(EventQueueAutoConfiguration.class, EventQueueMetricsAutoConfiguration.class,
                        DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
        .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    private final ApplicationContextRunner runner = withoutRegistry
        .withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
                CompositeMeterRegistryAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class));

    @ParameterizedTest
    @EnumSource(names = { "H2", "POSTGRESQL" })
    void metersTellWhatHappened(TestDatabase kind) {
        try (FreshDatabase fresh = kind.create(1)) {
            runner.withBean(Handlers.class)
                .withPropertyValues("spring.datasource.url=" + fresh.jdbcUrl(),
                        "spring.datasource.username=" + fresh.user(), "spring.datasource.password=" + fresh.password(),
                        "event-queue.handling.enabled=true", "event-queue.handling-poll-delay=50ms",
                        "event-queue.handling.initial-backoff=10ms", "event-queue.metrics.interval=100ms")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    EventQueue queue = context.getBean(EventQueue.class);
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    for (int i = 0; i < 3; i++) {
                        queue.publish(new Placed(i));
                    }
                    queue.publish(new Ignored("nobody subscribes to it"));

                    await().untilAsserted(() -> {
                        assertThat(counter(meters, "published", "event.type", "Placed")).isEqualTo(3);
                        assertThat(counter(meters, "fanned.out", "shard", "default")).isEqualTo(9);
                        assertThat(counter(meters, "handled", "handler", "good", "outcome", "succeeded")).isEqualTo(3);
                        assertThat(counter(meters, "handled", "handler", "flaky", "outcome", "failed")).isEqualTo(3);
                        assertThat(counter(meters, "handled", "handler", "flaky", "outcome", "succeeded")).isEqualTo(3);
                        assertThat(counter(meters, "dead", "handler", "fatal")).isEqualTo(3);
                        assertThat(counter(meters, "finalized", "shard", "default")).isEqualTo(3);
                        assertThat(gauge(meters, "depth", "of", "event", "state", "pending")).isEqualTo(1);
                        assertThat(gauge(meters, "depth", "of", "notification", "state", "pending")).isZero();
                        assertThat(gauge(meters, "depth", "of", "notification", "state", "failed")).isZero();
                        assertThat(gauge(meters, "depth", "of", "notification", "state", "dead")).isEqualTo(3);
                        assertThat(gauge(meters, "oldest.pending.age")).isZero();
                        assertThat(gauge(meters, "in.flight")).isZero();
                    });
                    assertThat(meters.get("event.queue.handler.duration").tag("handler", "flaky").timer().count())
                        .isEqualTo(6);
                    assertThat(meters.get("event.queue.delivery.lag").tag("handler", "flaky").timer().count())
                        .as("first attempts only")
                        .isEqualTo(3);
                });
        }
    }

    @Test
    void aBacklogHasDepthAndAge() {
        runner.withBean(Handlers.class).withPropertyValues("event-queue.metrics.interval=50ms").run(context -> {
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            context.getBean(EventQueue.class).publish(new Placed(1));
            context.getBean(EventFanoutJob.class).drainOneRound();

            await().untilAsserted(() -> {
                assertThat(gauge(meters, "depth", "of", "notification", "state", "pending")).isEqualTo(3);
                assertThat(gauge(meters, "oldest.pending.age")).isPositive();
            });
        });
    }

    @Test
    void keysThatAFailingEventHoldsBackAreCounted() {
        runner.withBean(OrderedHandler.class).run(context -> {
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            EventQueue queue = context.getBean(EventQueue.class);
            for (String key : List.of("a", "a", "b")) {
                queue.publish(new Placed(1), PublishOptions.none().key(key));
            }
            EventFanoutJob fanout = context.getBean(EventFanoutJob.class);
            EventHandlingJob handling = context.getBean(EventHandlingJob.class);
            while (fanout.drainOneRound() + handling.drainOneRound() > 0) {
                // until nothing is due
            }

            assertThat(gauge(meters, "keys.blocked", "shard", "default", "handler", "in-order")).isEqualTo(2);
            assertThat(gauge(meters, "oldest.blocked.age", "shard", "default", "handler", "in-order")).isPositive();
        });
    }

    @Test
    void gaugesShowNothingWhenTheDatabaseDoesNotAnswer() {
        runner.withPropertyValues("event-queue.metrics.interval=50ms").run(context -> {
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            await().untilAsserted(() -> assertThat(gauge(meters, "oldest.pending.age")).isZero());

            new JdbcTemplate(context.getBean(DataSource.class)).execute("DROP TABLE eventlog.event_handlers");

            await().untilAsserted(() -> assertThat(gauge(meters, "oldest.pending.age")).isNaN());
        });
    }

    /** However often the gauges are read. */
    @Test
    void readsTheDatabaseOncePerInterval() {
        runner.withPropertyValues("event-queue.metrics.interval=1h").run(context -> {
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            await().untilAsserted(() -> assertThat(gauge(meters, "depth", "of", "event", "state", "pending")).isZero());

            context.getBean(EventQueue.class).publish(new Placed(1));

            assertThat(gauge(meters, "depth", "of", "event", "state", "pending")).isZero();
        });
    }

    @Test
    void typesBeyondTheHundredthAreOneTimeSeries() {
        runner.run(context -> {
            EventQueue queue = context.getBean(EventQueue.class);
            for (int i = 0; i < 105; i++) {
                queue.publish(new Placed(i), PublishOptions.none().type("type-" + i));
            }
            MeterRegistry meters = context.getBean(MeterRegistry.class);

            assertThat(meters.find("event.queue.published").counters()).hasSize(101);
            assertThat(counter(meters, "published", "event.type", "other")).isEqualTo(5);
        });
    }

    @Test
    void doesNothingWithoutMicrometer() {
        withoutRegistry.withClassLoader(new FilteredClassLoader(MeterRegistry.class))
            .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(EventQueueListener.class));
    }

    @Test
    void doesNothingWithoutARegistry() {
        withoutRegistry.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(EventQueueListener.class));
    }

    @Test
    void doesNothingWithoutTheQueue() {
        new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(EventQueueMetricsAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class)
            .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(EventQueueListener.class));
    }

    @Test
    void theApplicationsOwnListenersHearTheSame() {
        AtomicInteger heard = new AtomicInteger();
        runner.withBean(EventQueueListener.class, () -> new EventQueueListener() {
            @Override
            public void published(String eventType, int events) {
                heard.addAndGet(events);
            }
        }).run(context -> {
            context.getBean(EventQueue.class).publish(new Placed(1));

            assertThat(heard).hasValue(1);
            assertThat(counter(context.getBean(MeterRegistry.class), "published", "event.type", "Placed")).isEqualTo(1);
        });
    }

    @Test
    void everyMeterIsDocumented() throws Exception {
        String page = Files.readString(Path.of("../docs/monitoring.md"));
        for (EventQueueMeter meter : EventQueueMeter.values()) {
            assertThat(page).contains("| `" + meter.meterName() + "` |");
        }
        runner.withBean(Handlers.class).withBean(OrderedHandler.class).run(context -> {
            context.getBean(EventQueue.class).publish(new Placed(1));
            context.getBean(EventHandlingJob.class).drainOneRound();
            Map<String, Set<String>> registered = context.getBean(MeterRegistry.class)
                .getMeters()
                .stream()
                .map(Meter::getId)
                .filter(id -> id.getName().startsWith("event.queue."))
                .collect(Collectors.toMap(Meter.Id::getName,
                        id -> id.getTags().stream().map(tag -> tag.getKey()).collect(Collectors.toSet()), (a, b) -> a));
            assertThat(registered).hasSizeGreaterThan(12);
            registered
                .forEach((name, tags) -> assertThat(page.lines().filter(line -> line.startsWith("| `" + name + "`")))
                    .as("%s with tags %s in docs/monitoring.md", name, tags)
                    .singleElement()
                    .satisfies(line -> tags.forEach(tag -> assertThat(line).contains("`" + tag + "`"))));
        });
    }

    private static double counter(MeterRegistry meters, String name, String... tags) {
        return meters.get("event.queue." + name).tags(tags).counter().count();
    }

    private static double gauge(MeterRegistry meters, String name, String... tags) {
        return meters.get("event.queue." + name).tags(tags).gauge().value();
    }

    record Placed(int number) {
    }

    record Ignored(String reason) {
    }

    static class OrderedHandler {

        @EventHandler(name = "in-order", ordered = true)
        void fails(Placed event) {
            throw new IllegalStateException("not yet");
        }

    }

    static class Handlers {

        private final Set<Integer> seen = ConcurrentHashMap.newKeySet();

        @EventHandler(name = "good")
        void good(Placed event) {
        }

        @EventHandler(name = "flaky")
        void flaky(Placed event) {
            if (seen.add(event.number())) {
                throw new IllegalStateException("not yet");
            }
        }

        @EventHandler(name = "fatal")
        void fatal(Placed event) {
            throw new UnrecoverableEventException("never");
        }

    }

}
