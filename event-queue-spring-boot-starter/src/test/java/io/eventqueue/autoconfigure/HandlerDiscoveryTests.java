package io.eventqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHandler;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventQueue;
import io.eventqueue.Handler;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerResult;
import io.eventqueue.NotificationState;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What counts as a handler, in the shapes beans come in. */
@ExtendWith(OutputCaptureExtension.class)
class HandlerDiscoveryTests {

    private static final List<String> calls = new CopyOnWriteArrayList<>();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(EventQueueAutoConfiguration.class, DataSourceAutoConfiguration.class,
                DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class))
        .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    @BeforeEach
    void forget() {
        calls.clear();
    }

    private static void publish(AssertableApplicationContext context, Object event) {
        assertThat(context).hasNotFailed();
        context.getBean(EventQueue.class).publish(event);
        context.getBean(EventFanoutJob.class).drainOneRound();
        context.getBean(EventHandlingJob.class).drainOneRound();
    }

    private static HandlerDefinition handler(AssertableApplicationContext context, String name) {
        assertThat(context).hasNotFailed();
        return context.getBean(EventHandlerRegistry.class).find(name).orElseThrow();
    }

    @Test
    void callsPackagePrivateMethodsWithEventEnvelopeOrBoth() {
        runner.withBean(Shapes.class).run(context -> {
            publish(context, new Placed(1));
            assertThat(calls).containsExactlyInAnyOrder("event 1", "envelope 1", "both 1");
        });
    }

    static class Shapes {

        @EventHandler(name = "event")
        void event(Placed event) {
            calls.add("event " + event.number());
        }

        @EventHandler(name = "envelope")
        HandlerResult envelope(EventEnvelope<Placed> envelope) {
            calls.add("envelope " + envelope.event().number());
            return HandlerResult.success();
        }

        @EventHandler(name = "both")
        void both(EventEnvelope<Placed> envelope, Placed event) {
            calls.add("both " + event.number());
        }

    }

    @Test
    void callsTransactionalMethodsThroughTheirProxy() {
        runner.withBean(Subclassed.class).run(context -> {
            assertThat(AopUtils.isCglibProxy(context.getBean(Subclassed.class))).isTrue();
            publish(context, new Placed(1));
            assertThat(calls).containsExactly("subclassed in transaction: true");
        });
        calls.clear();
        runner.withPropertyValues("spring.aop.proxy-target-class=false")
            .withBean("behind", Behind.class)
            .run(context -> {
                assertThat(AopUtils.isJdkDynamicProxy(context.getBean("behind"))).isTrue();
                publish(context, new Placed(1));
                assertThat(calls).containsExactly("behind in transaction: true");
            });
    }

    static class Subclassed {

        @Transactional
        @EventHandler(name = "subclassed")
        void on(Placed event) {
            calls.add("subclassed in transaction: " + TransactionSynchronizationManager.isActualTransactionActive());
        }

    }

    interface Reaction {

        void on(Placed event);

    }

    static class Behind implements Reaction {

        @Override
        @Transactional
        @EventHandler(name = "behind")
        public void on(Placed event) {
            calls.add("behind in transaction: " + TransactionSynchronizationManager.isActualTransactionActive());
        }

    }

    @Test
    void aProxiedHandlerBeanKeepsItsAnnotationAndEventClass() {
        runner.withPropertyValues("spring.aop.proxy-target-class=false")
            .withBean("proxied", ProxiedHandler.class)
            .run(context -> {
                assertThat(AopUtils.isJdkDynamicProxy(context.getBean("proxied"))).isTrue();
                assertThat(handler(context, "proxied-handler").eventTypes()).containsOnlyKeys("Placed");
                assertThat(handler(context, "proxied-handler").priority()).isEqualTo(7);
                publish(context, new Placed(1));
                assertThat(calls).containsExactly("proxied 1");
            });
    }

    @EventHandler(name = "proxied-handler", priority = 7)
    static class ProxiedHandler implements Handler<Placed> {

        @Override
        @Transactional
        public void handle(EventEnvelope<Placed> envelope) {
            calls.add("proxied " + envelope.event().number());
        }

    }

    @Test
    void resolvesGenericAndInheritedMethods() {
        runner.withBean(OfPlaced.class).withBean(OfShipped.class).run(context -> {
            assertThat(handler(context, "OfPlaced.inherited").eventTypes()).containsOnlyKeys("Placed");
            assertThat(handler(context, "OfShipped.inherited").eventTypes()).containsOnlyKeys("Shipped");
            assertThat(handler(context, "from-interface").eventTypes()).containsOnlyKeys("Shipped");
            publish(context, new Shipped(2));
            assertThat(calls).containsExactlyInAnyOrder("OfShipped Shipped[number=2]", "interface Shipped[number=2]");
        });
    }

    abstract static class Base<E> {

        @EventHandler
        void inherited(E event) {
            calls.add(getClass().getSimpleName() + " " + event);
        }

    }

    static class OfPlaced extends Base<Placed> {

    }

    interface Contract<E> {

        @EventHandler(name = "from-interface")
        void reacts(EventEnvelope<E> envelope);

    }

    static class OfShipped extends Base<Shipped> implements Contract<Shipped> {

        @Override
        public void reacts(EventEnvelope<Shipped> envelope) {
            calls.add("interface " + envelope.event());
        }

    }

    @Test
    void warnsOnceOfADerivedName(CapturedOutput output) {
        runner.withBean(OfPlaced.class).run(context -> {
            publish(context, new Placed(1));
            assertThat(output.getAll()).containsOnlyOnce("'OfPlaced.inherited' is stored with its deliveries")
                .contains("set @EventHandler(name = \"...\")");
        });
    }

    @Test
    void findsHandlersBehindTheInterfaceABeanMethodDeclares() {
        runner.withUserConfiguration(DeclaredByInterface.class).run(context -> {
            publish(context, new Placed(1));
            assertThat(calls).containsExactlyInAnyOrder("lambda 1", "event 1", "envelope 1", "both 1");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class DeclaredByInterface {

        @Bean
        @EventHandler(name = "lambda")
        Handler<Placed> lambda() {
            return envelope -> calls.add("lambda " + envelope.event().number());
        }

        @Bean
        Object shapes() {
            return new Shapes();
        }

    }

    @Test
    void leavesLazyBeansAloneUntilTheirFirstEvent() {
        LazyHandler.created.set(0);
        runner.withUserConfiguration(LazyBeans.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(LazyHandler.created).hasValue(0);
            publish(context, new Placed(1));
            assertThat(calls).containsExactlyInAnyOrder("lazy bean 1", "lazy method 1");
            assertThat(LazyHandler.created).hasValue(1);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyBeans {

        @Bean
        @Lazy
        LazyHandler lazyHandler() {
            return new LazyHandler();
        }

    }

    @EventHandler(name = "lazy-bean")
    static class LazyHandler implements Handler<Placed> {

        static final AtomicInteger created = new AtomicInteger();

        LazyHandler() {
            created.incrementAndGet();
        }

        @Override
        public void handle(EventEnvelope<Placed> envelope) {
            calls.add("lazy bean " + envelope.event().number());
        }

        @EventHandler(name = "lazy-method")
        void on(Placed event) {
            calls.add("lazy method " + event.number());
        }

    }

    @Test
    void handlersMayDependOnTheQueueTheRegistryAndTheJobs() {
        runner.withBean(Entangled.class)
            .run(context -> assertThat(handler(context, "entangled").aliases()).containsExactly("tangled"));
    }

    static class Entangled implements Handler<Placed> {

        Entangled(EventQueue queue, EventHandlerRegistry registry, EventHandlingJob handlingJob,
                EventFanoutJob fanoutJob) {
        }

        @Override
        public void handle(EventEnvelope<Placed> envelope) {
        }

        @Override
        public String name() {
            return "entangled";
        }

        @Override
        public Set<String> aliases() {
            return Set.of("tangled");
        }

    }

    @Test
    void findsAScopedBeanOnce() {
        runner.withUserConfiguration(Scoped.class).run(context -> {
            publish(context, new Placed(1));
            assertThat(calls).containsExactlyInAnyOrder("event 1", "envelope 1", "both 1");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Scoped {

        @Bean
        @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Shapes shapes() {
            return new Shapes();
        }

    }

    @Test
    void subscribesToEverySubtypeOfASealedEvent() {
        runner.withBean(Sealed.class)
            .run(context -> assertThat(handler(context, "sealed").eventTypes()).containsOnlyKeys("Paid", "Refunded"));
    }

    sealed interface Payment {

    }

    record Paid() implements Payment {
    }

    record Refunded() implements Payment {
    }

    static class Sealed {

        @EventHandler(name = "sealed")
        void on(Payment event) {
        }

    }

    @Test
    void propertiesGoBeforeTheAnnotation() {
        runner.withBean(Tuned.class)
            .withPropertyValues("event-queue.handling.enabled=true", "event-queue.handlers.send-mail.max-attempts=9",
                    "event-queue.handlers.send-mail.max-backoff=2m",
                    "event-queue.handlers.send-mail.unrecoverable=java.io.IOException",
                    "event-queue.handlers.send-mail.concurrency=2", "event-queue.handlers.send-mail.timeout=10s",
                    "event-queue.handlers.index_order.initial-backoff=3s")
            .run(context -> {
                HandlerDefinition mail = handler(context, "send-mail");
                assertThat(mail.retryPolicy().maxAttempts()).isEqualTo(9);
                assertThat(mail.retryPolicy().initialBackoff()).isEqualTo(Duration.ofSeconds(5));
                assertThat(mail.retryPolicy().maxBackoff()).isEqualTo(Duration.ofMinutes(2));
                assertThat(mail.retryPolicy().unrecoverable()).containsExactlyInAnyOrder(IOException.class,
                        IllegalStateException.class);
                assertThat(mail.concurrency()).isEqualTo(2);
                assertThat(mail.timeout()).isEqualTo(Duration.ofSeconds(10));
                assertThat(handler(context, "index_order").retryPolicy().initialBackoff())
                    .isEqualTo(Duration.ofSeconds(3));
            });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            max-attempts=9                                 | FAILED
            max-attempts=1                                 | DEAD
            unrecoverable=java.lang.IllegalStateException  | DEAD
            """)
    void anOverrideDecidesWhatBecomesOfAFailure(String override, NotificationState expected) {
        runner.withBean(Failing.class)
            .withPropertyValues("event-queue.handlers.failing-mail." + override)
            .run(context -> {
                publish(context, new Placed(1));
                assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                    .queryForList("SELECT state FROM eventlog.event_notifications", String.class))
                    .containsExactly(expected.name());
            });
    }

    static class Failing {

        @EventHandler(name = "failing-mail", maxAttempts = 3)
        void mail(Placed event) {
            throw new IllegalStateException("no");
        }

    }

    static class Tuned {

        @EventHandler(name = "send-mail", maxAttempts = 3, initialBackoff = "5s",
                unrecoverable = IllegalStateException.class)
        void mail(Placed event) {
        }

        @EventHandler(name = "index_order")
        void index(Placed event) {
        }

    }

    @Test
    void retiresHandlersByName() {
        runner.withBean(Shapes.class).withPropertyValues("event-queue.retired-handlers=gone,left").run(context -> {
            context.getBean(EventHandlingJob.class).drainOneRound();
            assertThat(context).hasNotFailed();
        });
    }

    @Test
    void runsHandlersWithoutAnybodyDraining() {
        runner.withBean(Shapes.class).withPropertyValues("event-queue.handling.enabled=true").run(context -> {
            context.getBean(EventQueue.class).publish(new Placed(1));
            await().untilAsserted(() -> assertThat(calls).hasSize(3));
        });
    }

    @Test
    void fieldInjectionOfTheQueueIntoAHandlerIsFine() {
        runner.withBean(FieldInjected.class)
            .run(context -> assertThat(handler(context, "field-injected").name()).isNotEmpty());
    }

    static class FieldInjected {

        @Autowired
        EventQueue queue;

        @EventHandler(name = "field-injected")
        void on(Placed event) {
        }

    }

    record Placed(int number) {
    }

    record Shipped(int number) {
    }

}
