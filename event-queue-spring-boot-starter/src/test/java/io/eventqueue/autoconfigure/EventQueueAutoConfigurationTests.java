package io.eventqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHandler;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventQueue;
import io.eventqueue.Handler;
import io.eventqueue.HandlerResult;
import io.eventqueue.InvalidHandlerException;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class EventQueueAutoConfigurationTests {

    private final ApplicationContextRunner withoutDataSource = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(EventQueueAutoConfiguration.class));

    private final ApplicationContextRunner runner = withoutDataSource
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
                DataSourceTransactionManagerAutoConfiguration.class))
        .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    @Test
    void callsHandlersOfEventsPublishedInATransaction() {
        runner.withUserConfiguration(Handlers.class)
            .withPropertyValues("event-queue.handling.enabled=true")
            .run(context -> {
                assertThat(context).hasNotFailed();
                EventQueue queue = context.getBean(EventQueue.class);
                new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(status -> queue.publish(new Greeted("Ada")));
                List<String> calls = context.getBean(Greetings.class).calls;
                await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(calls).containsExactlyInAnyOrder("event Ada", "envelope Ada",
                            "both Ada", "bean Ada"));
            });
    }

    @Test
    void doesNothingWithoutDataSource() {
        withoutDataSource.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(EventQueue.class));
    }

    @Test
    void startsNoLoopByDefault() {
        runner.run(context -> {
            assertThat(context.getBean(EventFanoutJob.class).isRunning()).isFalse();
            assertThat(context.getBean(EventHandlingJob.class).isRunning()).isFalse();
        });
    }

    @Test
    void startsFanoutAlone() {
        runner.withPropertyValues("event-queue.fanout.enabled=true").run(context -> {
            assertThat(context.getBean(EventFanoutJob.class).isRunning()).isTrue();
            assertThat(context.getBean(EventHandlingJob.class).isRunning()).isFalse();
        });
    }

    @Test
    void refusesAHandlerMethodItCannotCall() {
        runner.withBean(WrongHandler.class).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure()).isInstanceOf(InvalidHandlerException.class)
                .hasMessageContaining("WrongHandler.wrong")
                .hasMessageContaining("takes 2 parameters")
                .hasMessageContaining("return void or HandlerResult");
            assertThat(new EventQueueFailureAnalyzer().analyze(context.getStartupFailure()).getDescription())
                .contains("WrongHandler.wrong");
        });
    }

    @Test
    void refusesInvalidAndUnknownProperties() {
        runner.withPropertyValues("event-queue.handling.concurrency=0")
            .run(context -> assertThat(context.getStartupFailure()).rootCause()
                .hasMessage("event-queue.handling.concurrency is 0: write 1 or more"));
        runner.withPropertyValues("event-queue.handling.enabld=true").run(context -> assertThat(context).hasFailed());
    }

    @Test
    void givesWayToTheApplicationsOwnQueue() {
        EventQueue own = (EventQueue) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] { EventQueue.class }, (proxy, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> 1;
                    case "equals" -> proxy == arguments[0];
                    default -> "own";
                });
        runner.withBean("own", EventQueue.class, () -> own)
            .run(context -> assertThat(context).hasNotFailed().getBean(EventQueue.class).isSameAs(own));
    }

    @Test
    void readsTheAnnotation() {
        runner.withUserConfiguration(Handlers.class)
            .run(context -> assertThat(context.getBean(EventHandlerRegistry.class).find("both")).get()
                .satisfies(handler -> assertThat(handler.retryPolicy().maxAttempts()).isEqualTo(3)));
    }

    record Greeted(String name) {
    }

    static class Greetings {

        final List<String> calls = new CopyOnWriteArrayList<>();

        @EventHandler(name = "event")
        void event(Greeted event) {
            calls.add("event " + event.name());
        }

        @EventHandler(name = "envelope")
        HandlerResult envelope(EventEnvelope<Greeted> envelope) {
            calls.add("envelope " + envelope.event().name());
            return HandlerResult.success();
        }

        @EventHandler(name = "both", maxAttempts = 3)
        void both(Greeted event, EventEnvelope<Greeted> envelope) {
            calls.add("both " + event.name());
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class Handlers {

        @Bean
        Greetings greetings() {
            return new Greetings();
        }

        @Bean
        @EventHandler(name = "bean")
        Handler<Greeted> lambda(Greetings greetings) {
            return envelope -> greetings.calls.add("bean " + envelope.event().name());
        }

    }

    static class WrongHandler {

        @EventHandler(name = "wrong")
        void wrong(Greeted event, String other) {
        }

    }

}
