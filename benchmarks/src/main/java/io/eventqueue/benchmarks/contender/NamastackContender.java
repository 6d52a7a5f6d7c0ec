package io.eventqueue.benchmarks.contender;

import io.namastack.outbox.Outbox;
import io.namastack.outbox.OutboxProcessingScheduler;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import io.namastack.outbox.handler.OutboxTypedHandler;
import io.namastack.outbox.partition.PartitionCoordinator;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Namastack outbox in a Spring Boot context of its own. Every event has a key of its own,
 * so that order between events slows nothing down. Completed records are kept, its
 * default.
 */
final class NamastackContender implements Contender {

    private static final int CONCURRENCY = 30;

    private static final int BATCH = 800;

    private static final String POLL_INTERVAL = "25ms";

    private final Database database;

    private final ConfigurableApplicationContext context;

    private final Outbox outbox;

    private final OutboxProcessingScheduler scheduler;

    private final TransactionTemplate transaction;

    NamastackContender(Setup setup) throws Exception {
        this.database = setup.database(50);
        Map<String, Object> properties = Map.of("namastack.outbox.polling.trigger", "fixed",
                "namastack.outbox.polling.fixed.interval", POLL_INTERVAL, "namastack.outbox.polling.batch-size", BATCH,
                "namastack.outbox.processing.executor-concurrency-limit", CONCURRENCY, "spring.threads.virtual.enabled",
                "true");
        context = BootContext.start(Application.class, properties, beans -> {
            beans.registerBean(DataSource.class, database::dataSource);
            for (Class<? extends Receiver> type : Receiver.TYPES.subList(0, setup.handlers())) {
                beans.registerBean(type, setup.handler());
            }
        });
        outbox = context.getBean(Outbox.class);
        scheduler = context.getBean(OutboxProcessingScheduler.class);
        transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        awaitPartitions();
        scheduler.stop();
    }

    private void awaitPartitions() throws InterruptedException, TimeoutException {
        PartitionCoordinator partitions = context.getBean(PartitionCoordinator.class);
        Instant deadline = Instant.now().plus(Duration.ofSeconds(30));
        while (partitions.getAssignedPartitionNumbers().isEmpty()) {
            if (Instant.now().isAfter(deadline)) {
                throw new TimeoutException("no partitions assigned");
            }
            Thread.sleep(100);
        }
    }

    @Override
    public String version() {
        return "1.6.0";
    }

    @Override
    public String settings() {
        return "fixed polling every %s, batch %d, virtual threads limited to %d, one record per key"
            .formatted(POLL_INTERVAL, BATCH, CONCURRENCY);
    }

    @Override
    public boolean worksAcrossJvms() {
        return false; // a publisher without workers would still be assigned half of the
                      // partitions
    }

    @Override
    public void truncate() throws SQLException {
        database.execute("TRUNCATE outbox_record");
    }

    @Override
    public void publish(String payload) {
        transaction.executeWithoutResult(status -> outbox.schedule(new Event(payload)));
    }

    @Override
    public void publishAll(List<String> payloads) {
        transaction.executeWithoutResult(status -> payloads.forEach(payload -> outbox.schedule(new Event(payload))));
    }

    @Override
    public void startWorkers() {
        scheduler.start();
    }

    @Override
    public void stopWorkers() {
        scheduler.stop();
    }

    @Override
    public long unfinished() throws SQLException {
        return database.count("SELECT count(*) FROM outbox_record WHERE status = 'NEW'");
    }

    @Override
    public void close() {
        context.close();
    }

    /** The published event. */
    public record Event(String body) {
    }

    /** Namastack knows a handler by its class, so each of several handlers needs one. */
    abstract static class Receiver implements OutboxTypedHandler<Event> {

        static final List<Class<? extends Receiver>> TYPES = List.of(First.class, Second.class, Third.class);

        private final Consumer<String> handler;

        Receiver(Consumer<String> handler) {
            this.handler = handler;
        }

        @Override
        public void handle(Event event, OutboxRecordMetadata metadata) {
            handler.accept(event.body());
        }

    }

    static final class First extends Receiver {

        First(Consumer<String> handler) {
            super(handler);
        }

    }

    static final class Second extends Receiver {

        Second(Consumer<String> handler) {
            super(handler);
        }

    }

    static final class Third extends Receiver {

        Third(Consumer<String> handler) {
            super(handler);
        }

    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = { "org.springframework.modulith.core.config.ApplicationModuleInitializerRuntimeVerification",
                    "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration",
                    "org.springframework.modulith.events.config.EventPublicationAutoConfiguration",
                    "org.springframework.modulith.events.jackson.JacksonEventSerializationConfiguration",
                    "org.springframework.modulith.events.jdbc.JdbcEventPublicationAutoConfiguration",
                    "org.springframework.modulith.moments.autoconfigure.MomentsAutoConfiguration" })
    static class Application {

    }

}
