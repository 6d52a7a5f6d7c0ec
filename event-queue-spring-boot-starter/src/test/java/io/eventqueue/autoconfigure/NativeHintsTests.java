package io.eventqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHandler;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventQueue;
import io.eventqueue.Handler;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;

/** What is prepared ahead of time, and that it works without what was known before. */
class NativeHintsTests {

    private static final List<String> calls = new CopyOnWriteArrayList<>();

    private final TestPropertyValues properties = TestPropertyValues
        .of("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    private TestGenerationContext processed() {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.register(Handlers.class, DataSourceAutoConfiguration.class,
                DataSourceTransactionManagerAutoConfiguration.class, EventQueueAutoConfiguration.class);
        properties.applyTo(context);
        TestGenerationContext generation = new TestGenerationContext(NativeHintsTests.class);
        new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        generation.writeGeneratedContent();
        return generation;
    }

    @Test
    void eventClassesAndHandlerMethodsAreKept() throws Exception {
        RuntimeHints hints = processed().getRuntimeHints();
        assertThat(RuntimeHintsPredicates.reflection()
            .onMethodInvocation(Methods.class.getDeclaredMethod("on", Placed.class))).accepts(hints);
        for (Class<?> event : List.of(Placed.class, Item.class, Shipped.class, Paid.class, Refunded.class)) {
            assertThat(RuntimeHintsPredicates.reflection().onType(event)).as(event.getSimpleName()).accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Item.class.getDeclaredMethod("name")))
            .accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource("io/eventqueue/migration/h2/V1__event_queue.sql"))
            .accepts(hints);
    }

    @Test
    @CompileWithForkedClassLoader
    void aProcessedContextHandlesEvents() {
        calls.clear();
        TestCompiler.forSystem().with(processed()).compile(compiled -> {
            GenericApplicationContext context = new GenericApplicationContext();
            properties.applyTo(context);
            @SuppressWarnings("unchecked")
            ApplicationContextInitializer<GenericApplicationContext> initializer = compiled
                .getInstance(ApplicationContextInitializer.class);
            initializer.initialize(context);
            context.refresh();
            assertThat(context.getBean(EventHandlerRegistry.class).knownNames()).containsExactlyInAnyOrder("method",
                    "bean", "lambda");
            context.getBean(EventQueue.class)
                .publishAll(List.of(new Placed(new Item("book")), new Shipped(1), new Paid()));
            context.getBean(EventFanoutJob.class).drainOneRound();
            context.getBean(EventHandlingJob.class).drainOneRound();
            context.close();
        });
        assertThat(calls).containsExactlyInAnyOrder("method book", "bean Paid[]", "lambda 1");
    }

    record Item(String name) {
    }

    record Placed(Item item) {
    }

    record Shipped(int number) {
    }

    sealed interface Payment {

    }

    record Paid() implements Payment {
    }

    record Refunded() implements Payment {
    }

    @Configuration(proxyBeanMethods = false)
    static class Handlers {

        @Bean
        Methods methods() {
            return new Methods();
        }

        @Bean
        Payments payments() {
            return new Payments();
        }

        @Bean
        @EventHandler(name = "lambda")
        Handler<Shipped> lambda() {
            return envelope -> calls.add("lambda " + envelope.event().number());
        }

    }

    static class Methods {

        @EventHandler(name = "method")
        void on(Placed event) {
            calls.add("method " + event.item().name());
        }

    }

    @EventHandler(name = "bean")
    static class Payments implements Handler<Payment> {

        @Override
        public void handle(EventEnvelope<Payment> envelope) {
            calls.add("bean " + envelope.event());
        }

    }

}
