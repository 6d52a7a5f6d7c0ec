package io.eventqueue.autoconfigure.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.EventHandler;
import io.eventqueue.EventInterceptor;
import io.eventqueue.EventQueue;
import io.eventqueue.HandlerResult;
import io.eventqueue.autoconfigure.EventQueueAutoConfiguration;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class EventQueueObservationAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(
                AutoConfigurations.of(EventQueueAutoConfiguration.class, EventQueueObservationAutoConfiguration.class,
                        DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
        .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1")
        .withBean(Handlers.class);

    private final List<Observation.Context> observed = new CopyOnWriteArrayList<>();

    private ObservationRegistry registry() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }

            @Override
            public void onStop(Observation.Context context) {
                observed.add(context);
            }
        });
        return registry;
    }

    @Test
    void observesWithoutATracerOnTheClassPath() {
        runner.withBean(ObservationRegistry.class, this::registry)
            .withClassLoader(new FilteredClassLoader("io.micrometer.tracing"))
            .run(context -> assertThat(context).hasNotFailed()
                .hasSingleBean(ObservingInterceptor.class)
                .doesNotHaveBean("eventQueueTraceIds"));
    }

    @Test
    void observesPublishingAndEveryOutcome() {
        runner.withBean(ObservationRegistry.class, this::registry).run(context -> {
            context.getBean(EventQueue.class).publish(new Placed("A-1"));
            drain(context.getBean(EventFanoutJob.class), context.getBean(EventHandlingJob.class));

            assertThat(observed).extracting(Observation.Context::getContextualName)
                .containsExactlyInAnyOrder("publish Placed", "handle good", "handle later", "handle never",
                        "handle throwing");
            assertThat(observed.getFirst().getLowCardinalityKeyValues())
                .containsExactly(KeyValue.of("event.type", "Placed"));
            assertThat(observed.stream()
                .filter(one -> one instanceof EventHandleContext)
                .map(one -> one.getLowCardinalityKeyValue("handler").getValue() + " "
                        + one.getLowCardinalityKeyValue("outcome").getValue() + " " + (one.getError() != null)))
                .containsExactlyInAnyOrder("good success false", "later transient_error true",
                        "never unrecoverable_error true", "throwing exception true");
        });
    }

    @Test
    void theApplicationsConventionWins() {
        runner.withBean(ObservationRegistry.class, this::registry)
            .withBean(EventPublishObservationConvention.class, OwnConvention::new)
            .run(context -> {
                context.getBean(EventQueue.class).publish(new Placed("A-1"));

                assertThat(observed.getFirst().getName()).isEqualTo("own.publish");
                assertThat(observed.getFirst().getLowCardinalityKeyValues())
                    .containsExactly(KeyValue.of("team", "orders"));
            });
    }

    @Test
    void doesNothingWithoutARegistry() {
        runner.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(EventInterceptor.class));
    }

    @Test
    void doesNothingWithoutMicrometer() {
        runner.withClassLoader(new FilteredClassLoader("io.micrometer"))
            .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(EventInterceptor.class));
    }

    @Test
    void everyObservationIsDocumented() throws Exception {
        String page = Files.readString(Path.of("../docs/monitoring.md"));
        for (EventQueueObservation observation : EventQueueObservation.values()) {
            assertThat(page).contains("| `" + observation.getName() + "` |");
            Arrays.stream(observation.getLowCardinalityKeyNames())
                .forEach(key -> assertThat(page).contains("`" + key.asString() + "`"));
            Arrays.stream(observation.getHighCardinalityKeyNames())
                .forEach(key -> assertThat(page).contains("`" + key.asString() + "`"));
        }
    }

    private static void drain(EventFanoutJob fanout, EventHandlingJob handling) {
        fanout.drainOneRound();
        handling.drainOneRound();
    }

    record Placed(String id) {
    }

    static class OwnConvention implements EventPublishObservationConvention {

        @Override
        public String getName() {
            return "own.publish";
        }

        @Override
        public KeyValues getLowCardinalityKeyValues(EventPublishContext context) {
            return KeyValues.of("team", "orders");
        }

    }

    static class Handlers {

        @EventHandler(name = "good")
        void good(Placed event) {
        }

        @EventHandler(name = "later")
        HandlerResult later(Placed event) {
            return HandlerResult.transientError("not yet");
        }

        @EventHandler(name = "never")
        HandlerResult never(Placed event) {
            return HandlerResult.unrecoverableError("wrong");
        }

        @EventHandler(name = "throwing")
        void throwing(Placed event) {
            throw new IllegalStateException("boom");
        }

    }

}
