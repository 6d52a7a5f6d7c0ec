package io.eventqueue.benchmarks.contender;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskExecutor;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Spring Modulith's event publication registry on JDBC. With workers, listeners run on
 * the asynchronous executor after the commit. Without, the hand-over is dropped, as if
 * the JVM had died, and the publication stays incomplete; starting the workers resubmits
 * all of those, the only way it has to drain a backlog.
 */
final class ModulithContender implements Contender {

    private static final int THREADS = 20;

    private final Database database;

    private final ConfigurableApplicationContext context;

    private final TransactionTemplate transaction;

    private volatile @Nullable ThreadPoolExecutor executor;

    private @Nullable Thread resubmission;

    ModulithContender(Setup setup) {
        this.database = setup.database(THREADS + 12);
        Map<String, Object> properties = Map.of("spring.modulith.events.jdbc.schema-initialization.enabled", "true",
                "spring.modulith.events.completion-mode", "update");
        context = BootContext.start(Application.class, properties, beans -> {
            beans.registerBean(DataSource.class, database::dataSource);
            beans.registerBean("applicationTaskExecutor", TaskExecutor.class, () -> this::execute);
            List<Class<?>> listeners = List.of(First.class, Second.class, Third.class);
            listeners.subList(0, setup.handlers()).forEach(type -> beans.registerBean(type, setup.handler()));
        });
        transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    private void execute(Runnable task) {
        ThreadPoolExecutor current = executor;
        if (current != null) {
            current.execute(task);
        }
    }

    @Override
    public String version() {
        return "2.1.1";
    }

    @Override
    public String settings() {
        return ("completion-mode=update, executor of %d threads; drain = resubmitIncompletePublications, "
                + "live = asynchronous listener after commit")
            .formatted(THREADS);
    }

    @Override
    public boolean worksAcrossJvms() {
        return false; // listeners run where the event was published
    }

    @Override
    public void truncate() throws SQLException {
        database.execute("TRUNCATE event_publication");
    }

    @Override
    public void publish(String payload) {
        transaction.executeWithoutResult(status -> context.publishEvent(new Event(payload)));
    }

    @Override
    public void publishAll(List<String> payloads) {
        transaction
            .executeWithoutResult(status -> payloads.forEach(payload -> context.publishEvent(new Event(payload))));
    }

    @Override
    public void startWorkers() {
        executor = new ThreadPoolExecutor(THREADS, THREADS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        IncompleteEventPublications incomplete = context.getBean(IncompleteEventPublications.class);
        resubmission = Thread.ofPlatform()
            .name("resubmission")
            .start(() -> incomplete.resubmitIncompletePublications(publication -> true));
    }

    @Override
    public void stopWorkers() throws InterruptedException {
        if (resubmission != null) {
            resubmission.join();
        }
        ThreadPoolExecutor current = executor;
        executor = null;
        if (current != null) {
            current.shutdown();
            current.awaitTermination(30, TimeUnit.SECONDS);
        }
    }

    @Override
    public long unfinished() throws SQLException {
        return database.count("SELECT count(*) FROM event_publication WHERE completion_date IS NULL");
    }

    @Override
    public void close() {
        context.close();
    }

    /** The published event. */
    public record Event(String body) {
    }

    // Modulith knows a listener by its method, so each of several handlers needs a method
    // of its own.

    static class First {

        private final Consumer<String> handler;

        First(Consumer<String> handler) {
            this.handler = handler;
        }

        @ApplicationModuleListener
        public void on(Event event) {
            handler.accept(event.body());
        }

    }

    static class Second {

        private final Consumer<String> handler;

        Second(Consumer<String> handler) {
            this.handler = handler;
        }

        @ApplicationModuleListener
        public void on(Event event) {
            handler.accept(event.body());
        }

    }

    static class Third {

        private final Consumer<String> handler;

        Third(Consumer<String> handler) {
            this.handler = handler;
        }

        @ApplicationModuleListener
        public void on(Event event) {
            handler.accept(event.body());
        }

    }

    @EnableAsync
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = { "io.namastack.outbox.OutboxJacksonAutoConfiguration",
            "io.namastack.outbox.config.JdbcOutboxAutoConfiguration",
            "io.namastack.outbox.config.JdbcOutboxSchemaAutoConfiguration",
            "io.namastack.outbox.config.OutboxCoreInfrastructureAutoConfiguration",
            "io.namastack.outbox.config.OutboxCoreMulticasterAutoConfiguration",
            "io.namastack.outbox.config.OutboxCoreProcessingAutoConfiguration",
            "io.namastack.outbox.config.OutboxCoreSchedulingAutoConfiguration",
            "io.namastack.outbox.config.OutboxCoreThreadingAutoConfiguration",
            "org.springframework.modulith.core.config.ApplicationModuleInitializerRuntimeVerification",
            "org.springframework.modulith.moments.autoconfigure.MomentsAutoConfiguration" })
    static class Application {

    }

}
