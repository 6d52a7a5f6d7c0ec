package io.eventqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHandler;
import io.eventqueue.EventLogProjection;
import io.eventqueue.Handler;
import io.eventqueue.HandlerResult;
import io.eventqueue.ProjectionContext;
import io.eventqueue.QueuedEvent;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.Transactional;

/** Every documented failure, as the application's log shows it. */
@ExtendWith(OutputCaptureExtension.class)
class StartupFailureTests {

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    /** Starts an application that must fail, and returns what it printed. */
    private String failureOf(CapturedOutput output, Class<?> configuration, String... properties) {
        List<String> arguments = new ArrayList<>();
        arguments.add("--spring.datasource.url=" + url);
        for (String property : properties) {
            arguments.add("--" + property);
        }
        SpringApplicationBuilder application = new SpringApplicationBuilder(Application.class, configuration)
            .web(WebApplicationType.NONE);
        assertThatThrownBy(() -> application.run(arguments.toArray(String[]::new)).close())
            .isInstanceOf(Exception.class);
        assertThat(output).contains("APPLICATION FAILED TO START");
        return output.getAll().substring(output.getAll().indexOf("APPLICATION FAILED TO START"));
    }

    private String failureOf(CapturedOutput output, String... properties) {
        return failureOf(output, Nothing.class, properties);
    }

    // ---- projections

    @Test
    void twoProjectionsWithOneName(CapturedOutput output) {
        assertThat(failureOf(output, TwoProjections.class)).contains("Two projections have the name 'totals'",
                "rename one of them", "Change the projection as described above.");
    }

    static class TwoProjections {

        @Bean
        EventLogProjection one() {
            return new Totals();
        }

        @Bean
        EventLogProjection other() {
            return new Totals();
        }

    }

    static class Totals implements EventLogProjection {

        @Override
        public String name() {
            return "totals";
        }

        @Override
        public void handle(QueuedEvent event, ProjectionContext context) {
        }

    }

    @Test
    void aBatchOfNoEvents(CapturedOutput output) {
        assertThat(failureOf(output, "event-queue.projections.batch-size=0"))
            .contains("event-queue.projections.batch-size is 0", "write 1 or more");
    }

    // ---- handlers

    @Test
    void wrongParameters(CapturedOutput output) {
        assertThat(failureOf(output, WrongParameters.class))
            .contains("WrongParameters.on takes 2 parameters. Write: void on(OrderPlaced event), or"
                    + " (EventEnvelope<OrderPlaced> envelope), or both parameters, with your event class;"
                    + " return void or HandlerResult.", "Change the handler as described above.");
    }

    static class WrongParameters {

        @EventHandler(name = "wrong")
        void on(Placed event, String other) {
        }

    }

    @Test
    void noParameters(CapturedOutput output) {
        assertThat(failureOf(output, NoParameters.class))
            .contains("NoParameters.on takes 0 parameters. Write: void on(");
    }

    static class NoParameters {

        @EventHandler(name = "wrong")
        void on() {
        }

    }

    @Test
    void aParameterThatIsNoEvent(CapturedOutput output) {
        assertThat(failureOf(output, ListParameter.class)).contains("ListParameter.on takes java.util.List<",
                "which is no event. Write: void on(OrderPlaced event)");
    }

    static class ListParameter {

        @EventHandler(name = "wrong")
        void on(List<Placed> events) {
        }

    }

    @Test
    void eventAndEnvelopeOfAnother(CapturedOutput output) {
        assertThat(failureOf(output, Mismatch.class))
            .contains("Mismatch.on takes a Placed and the envelope of a Shipped");
    }

    static class Mismatch {

        @EventHandler(name = "wrong")
        void on(Placed event, EventEnvelope<Shipped> envelope) {
        }

    }

    @Test
    void typesThatDoNotFitTheParameter(CapturedOutput output) {
        assertThat(failureOf(output, WrongTypes.class))
            .contains("WrongTypes.on takes a Placed, but types names Shipped");
    }

    static class WrongTypes {

        @EventHandler(name = "wrong", types = Shipped.class)
        void on(Placed event) {
        }

    }

    @Test
    void anAbstractEventWithoutTypes(CapturedOutput output) {
        assertThat(failureOf(output, AbstractEvent.class))
            .contains("Handler 'wrong' subscribes to no concrete event class.", "@EventHandler(types = {...})");
    }

    static class AbstractEvent {

        @EventHandler(name = "wrong")
        void on(Runnable event) {
        }

    }

    @Test
    void aReturnValue(CapturedOutput output) {
        assertThat(failureOf(output, WrongReturn.class))
            .contains("WrongReturn.on returns CompletableFuture. Write: void on(", "return void or HandlerResult");
    }

    static class WrongReturn {

        @EventHandler(name = "wrong")
        CompletableFuture<HandlerResult> on(Placed event) {
            return CompletableFuture.completedFuture(HandlerResult.success());
        }

    }

    @Test
    void aPrivateMethod(CapturedOutput output) {
        assertThat(failureOf(output, PrivateMethod.class)).contains("PrivateMethod.on is private or static");
    }

    static class PrivateMethod {

        @EventHandler(name = "wrong")
        private void on(Placed event) {
        }

    }

    @Test
    void anAsyncMethod(CapturedOutput output) {
        assertThat(failureOf(output, AsyncMethod.class)).contains("AsyncMethod.on is a handler and @Async:",
                "Remove @Async; handlers run on threads of their own");
    }

    static class AsyncMethod {

        @Async
        @EventHandler(name = "wrong")
        void on(Placed event) {
        }

    }

    @Test
    void anAsyncHandlerClass(CapturedOutput output) {
        assertThat(failureOf(output, AsyncHandler.class)).contains("AsyncHandler is a handler and @Async:");
    }

    @Async
    @EventHandler(name = "wrong")
    static class AsyncHandler implements Handler<Placed> {

        @Override
        public void handle(EventEnvelope<Placed> envelope) {
        }

    }

    @Test
    void aMethodOutsideTheInterfacesOfAJdkProxy(CapturedOutput output) {
        assertThat(failureOf(output, BehindAnInterface.class, "spring.aop.proxy-target-class=false")).contains(
                "BehindAnInterface.on is in no interface of its bean, which is a JDK proxy.",
                "Add it to an interface that BehindAnInterface implements, or set spring.aop.proxy-target-class=true");
    }

    interface Service {

        void serve();

    }

    static class BehindAnInterface implements Service {

        @Override
        public void serve() {
        }

        @Transactional
        @EventHandler(name = "wrong")
        public void on(Placed event) {
        }

    }

    @Test
    void aFinalMethodOfAProxiedClass(CapturedOutput output) {
        assertThat(failureOf(output, FinalMethod.class))
            .contains("FinalMethod.on is final, so it cannot be called through the proxy of its bean");
    }

    static class FinalMethod {

        @EventHandler(name = "wrong")
        final void on(Placed event) {
        }

        @Transactional
        void other() {
        }

    }

    @Test
    void aNameWithASlash(CapturedOutput output) {
        assertThat(failureOf(output, SlashedName.class)).contains("Handler name 'orders/confirm' contains a slash.",
                "use a dot or a hyphen instead");
    }

    static class SlashedName {

        @EventHandler(name = "orders/confirm")
        void on(Placed event) {
        }

    }

    @Test
    void anAliasWithASlash(CapturedOutput output) {
        assertThat(failureOf(output, SlashedAlias.class)).contains("Handler alias 'orders/confirm' contains a slash.",
                "use a dot or a hyphen instead");
    }

    static class SlashedAlias {

        @EventHandler(name = "confirm", aliases = "orders/confirm")
        void on(Placed event) {
        }

    }

    @Test
    void twoHandlersOfOneName(CapturedOutput output) {
        assertThat(failureOf(output, Duplicates.class)).contains(
                "The name 'same' of handler 'same' for [Shipped] is already a name or alias of handler 'same' for [Placed]",
                "rename one of them");
    }

    static class Duplicates {

        @EventHandler(name = "same")
        void one(Placed event) {
        }

        @EventHandler(name = "same")
        void two(Shipped event) {
        }

    }

    @Test
    void anAliasThatIsAnothersName(CapturedOutput output) {
        assertThat(failureOf(output, AliasInUse.class)).contains("'one'", "is already a name or alias of handler");
    }

    static class AliasInUse {

        @EventHandler(name = "one")
        void one(Placed event) {
        }

        @EventHandler(name = "two", aliases = "one")
        void two(Placed event) {
        }

    }

    @Test
    void twoEventClassesOfOneName(CapturedOutput output) {
        assertThat(failureOf(output, SameEventName.class)).contains("Two event classes share the type name 'Placed'",
                "give it @EventType(\"...\")");
    }

    static class SameEventName {

        record Placed() {
        }

        @EventHandler(name = "one")
        void one(StartupFailureTests.Placed event) {
        }

        @EventHandler(name = "two")
        void two(SameEventName.Placed event) {
        }

    }

    @Test
    void anAnnotatedClassThatIsNoHandler(CapturedOutput output) {
        assertThat(failureOf(output, NoHandler.class)).contains("NoHandler), which does not implement Handler."
                + " Write: implements Handler<OrderPlaced>, with your event class");
    }

    @EventHandler(name = "wrong")
    static class NoHandler {

    }

    @Test
    void anAnnotatedBeanMethodOfWhatIsNoHandler(CapturedOutput output) {
        assertThat(failureOf(output, NoHandlerBean.class))
            .contains("@EventHandler is on bean 'wrong' (java.lang.Object), which does not implement Handler.");
    }

    static class NoHandlerBean {

        @Bean
        @EventHandler(name = "wrong")
        Object wrong() {
            return new Object();
        }

    }

    @Test
    void anAnnotatedHandleMethod(CapturedOutput output) {
        assertThat(failureOf(output, AnnotatedHandle.class))
            .contains("AnnotatedHandle.handle of a class that implements" + " Handler. Put it on the class instead.");
    }

    static class AnnotatedHandle implements Handler<Placed> {

        @Override
        @EventHandler(name = "wrong")
        public void handle(EventEnvelope<Placed> envelope) {
        }

    }

    @Test
    void aHandlerOfUnknownEvents(CapturedOutput output) {
        assertThat(failureOf(output, UnknownEvents.class)).contains("The event class of handler bean 'unknown' (",
                "cannot be read from its type argument. Declare the bean as Handler<OrderPlaced>");
    }

    static class UnknownEvents {

        @Bean
        Handler<?> unknown() {
            return envelope -> {
            };
        }

    }

    @Test
    void aTextThatIsNoDuration(CapturedOutput output) {
        assertThat(failureOf(output, NoDuration.class))
            .contains("Handler 'wrong': timeout = \"soon\" is not a duration. Write 500ms, 30s, 5m, 2h, 7d or PT30S.");
    }

    static class NoDuration {

        @EventHandler(name = "wrong", timeout = "soon")
        void on(Placed event) {
        }

    }

    @Test
    void aFirstBackoffAboveTheLongest(CapturedOutput output) {
        assertThat(failureOf(output, WrongBackoff.class)).contains(
                "Handler 'wrong': initialBackoff (PT10M) is longer than maxBackoff (PT1M).",
                "Swap them, or leave one out.");
    }

    static class WrongBackoff {

        @EventHandler(name = "wrong", initialBackoff = "10m", maxBackoff = "1m")
        void on(Placed event) {
        }

    }

    @Test
    void backoffOfAHandlerThatIsNeverTriedAgain(CapturedOutput output) {
        assertThat(failureOf(output, UselessBackoff.class)).contains(
                "Handler 'wrong' is tried only once (maxAttempts = 1), so its backoff would never be used.",
                "Allow more attempts, or leave initialBackoff and maxBackoff out.");
    }

    static class UselessBackoff {

        @EventHandler(name = "wrong", maxAttempts = 1, initialBackoff = "10s")
        void on(Placed event) {
        }

    }

    // ---- properties

    @Test
    void aPropertyThatDoesNotExist(CapturedOutput output) {
        assertThat(failureOf(output, "event-queue.handling.enabld=true", "event-queue.fanout-poll-dely=1s",
                "event-queue.handlers.mail.max-atempts=3", "event-queue.quite.something.else=1"))
            .contains("event-queue.handling.enabld does not exist",
                    "Write event-queue.handling.enabled instead of event-queue.handling.enabld.",
                    "Write event-queue.fanout-poll-delay instead of event-queue.fanout-poll-dely.",
                    "Write event-queue.handlers.mail.max-attempts instead of event-queue.handlers.mail.max-atempts.",
                    "Remove event-queue.quite.something.else.");
    }

    @Test
    void aValueThatCannotBeRead(CapturedOutput output) {
        assertThat(failureOf(output, "event-queue.fanout-poll-delay=fast")).contains(
                "event-queue.fanout-poll-delay is \"fast\"", "which cannot be read as Duration",
                "For event-queue.fanout-poll-delay, write a duration like 500ms, 30s, 5m or 7d.");
    }

    @Test
    void aValueOutOfRange(CapturedOutput output) {
        assertThat(failureOf(output, "event-queue.handling.concurrency=0")).contains(
                "event-queue.handling.concurrency is 0: write 1 or more",
                "For event-queue.handling.concurrency, write 1 or more.");
    }

    @Test
    void anOverrideForAHandlerThatDoesNotExist(CapturedOutput output) {
        assertThat(failureOf(output, Mail.class, "event-queue.handling.enabled=true",
                "event-queue.handlers.send-mial.max-attempts=3"))
            .contains("event-queue.handlers.send-mial is about a handler that does not exist",
                    "write event-queue.handlers.send-mail if you mean that one.");
    }

    static class Mail {

        @EventHandler(name = "send-mail")
        void on(Placed event) {
        }

    }

    @Test
    void aRetiredHandlerThatExists(CapturedOutput output) {
        assertThat(failureOf(output, Mail.class, "event-queue.retired-handlers=send-mail")).contains(
                "event-queue.retired-handlers names 'send-mail', but this application has handler 'send-mail'",
                "remove the handler (or its alias), or do not retire it.");
    }

    // ---- databases

    @Test
    void severalDataSourcesAndNonePrimary(CapturedOutput output) {
        assertThat(failureOf(output, TwoDataSources.class)).contains(
                "event-queue.datasource is not set, and none of the DataSources [orders, archive] is primary",
                "name one of them, list several in event-queue.shards, or mark one as @Primary.");
    }

    @Test
    void aDataSourceThatDoesNotExist(CapturedOutput output) {
        assertThat(failureOf(output, TwoDataSources.class, "event-queue.datasource=order")).contains(
                "event-queue.datasource names 'order', which is no DataSource bean", "use one of [orders, archive].");
    }

    @Test
    void aShardThatDoesNotExist(CapturedOutput output) {
        assertThat(failureOf(output, TwoDataSources.class, "event-queue.shards=orders,archives")).contains(
                "event-queue.shards names 'archives', which is no DataSource bean", "use one of [orders, archive].");
    }

    @Test
    void aDataSourceBesideShards(CapturedOutput output) {
        assertThat(failureOf(output, TwoDataSources.class, "event-queue.shards=orders,archive",
                "event-queue.datasource=orders"))
            .contains("event-queue.datasource is set beside event-queue.shards",
                    "remove one of them: a list of shards replaces the one DataSource.");
    }

    static class TwoDataSources {

        @Bean
        DataSource orders() {
            return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        }

        @Bean
        DataSource archive() {
            return orders();
        }

    }

    @Test
    void aDatabaseThatIsNotSupported(CapturedOutput output) {
        assertThat(failureOf(output, Unsupported.class)).contains("The DataSource is a PointBase 1.0 database.",
                "event-queue runs on PostgreSQL 14+, MariaDB 10.6+, MySQL 8+ and H2",
                "Change spring.datasource.url, or remove event-queue-spring-boot-starter");
    }

    static class Unsupported {

        /** Knows its name and nothing else. */
        @Bean
        DataSource pointBase() {
            return new AbstractDataSource() {
                @Override
                public Connection getConnection() {
                    DatabaseMetaData metaData = stub(DatabaseMetaData.class, "getDatabaseProductName", "PointBase",
                            "getDatabaseProductVersion", "1.0");
                    return stub(Connection.class, "getMetaData", metaData);
                }

                @Override
                public Connection getConnection(String username, String password) {
                    return getConnection();
                }
            };
        }

        private static <T> T stub(Class<T> type, Object... answers) {
            return type.cast(java.lang.reflect.Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
                    (proxy, method, arguments) -> {
                        int named = List.of(answers).indexOf(method.getName());
                        return named < 0 ? null : answers[named + 1];
                    }));
        }

    }

    record Placed(int number) {
    }

    record Shipped(int number) {
    }

    static class Nothing {

    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = { "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
            "org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration",
            "org.springframework.boot.data.jdbc.autoconfigure.DataJdbcRepositoriesAutoConfiguration" })
    static class Application {

    }

}
