package io.eventqueue.benchmarks.contender;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.HandlerResult;
import io.eventqueue.JobRegistry;
import io.eventqueue.PublishOptions;
import io.eventqueue.QueuedEvent;
import io.eventqueue.Shard;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.jdbc.PostgresSignals;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.outbox.TransactionalEventQueue;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * This library, wired by hand with the settings its documentation recommends for
 * throughput. An event is done when all its notifications have SUCCEEDED and it stands in
 * event_log. The node publishes and handles; NOTIFY connects it to others.
 */
final class EventQueueContender implements PullContender {

    /** What is published; the payload is its only property. */
    public record Event(String body) {
    }

    /** What workers pull; no handler is subscribed to it. */
    public record Work(String body) {
    }

    private static final int BATCH = 1000;

    private static final int FOREIGN_TAGS = 10;

    private static final int CONCURRENCY = 1000;

    private static final Duration DEBOUNCE = Duration.ofMillis(5);

    private final Setup setup;

    private final Database database;

    private final io.eventqueue.jdbc.Database shard;

    private final TransactionalEventQueue queue;

    private final PostgresSignals signals;

    private @Nullable JobRegistry jobs;

    EventQueueContender(Setup setup) {
        this.setup = setup;
        this.database = setup.database(16);
        if (setup.ownsSchema()) {
            SchemaMigration.migrate(database.dataSource());
        }
        shard = io.eventqueue.jdbc.Database.of(Shard.of("main", database.dataSource()));
        queue = TransactionalEventQueue.eventQueue(shard).build();
        signals = new PostgresSignals(shard, new DriverManagerDataSource(setup.jdbcUrl()), DEBOUNCE);
        signals.start();
    }

    @Override
    public String version() {
        return "this version";
    }

    @Override
    public String settings() {
        return "fanout-batch-size and handling-batch-size %d, handling.concurrency %d".formatted(BATCH, CONCURRENCY);
    }

    @Override
    public void truncate() throws SQLException {
        database.execute("""
                TRUNCATE eventlog.events, eventlog.event_tags, eventlog.event_notifications, eventlog.event_attempts,
                    eventlog.event_log, eventlog.consumed_events
                """);
    }

    @Override
    public void publish(String payload) {
        queue.publish(new Event(payload));
    }

    @Override
    public void publishAll(List<String> payloads) {
        queue.publishAll(payloads.stream().map(Event::new).toList());
    }

    @Override
    public void startWorkers() {
        EventHandlerRegistry handlers = handlers();
        EventHandlingJob handling = EventHandlingJob.eventHandlingJob()
            .databases(List.of(shard))
            .eventHandlerRegistry(handlers)
            .batchSize(BATCH)
            .concurrency(CONCURRENCY)
            .build();
        EventFanoutJob fanout = EventFanoutJob.eventFanoutJob()
            .databases(List.of(shard))
            .eventHandlerRegistry(handlers)
            .batchSize(BATCH)
            .handlingJob(handling)
            .build();
        jobs = JobRegistry.jobRegistry().withJob(fanout).withJob(handling).build();
        jobs.start();
    }

    private EventHandlerRegistry handlers() {
        EventHandlerRegistry.Builder handlers = EventHandlerRegistry.eventHandlerRegistry();
        for (int i = 0; i < setup.handlers(); i++) {
            handlers.withHandler(Event.class, "handler-" + i, event -> {
                setup.handler().accept(event.body());
                return HandlerResult.success();
            });
        }
        return handlers.build();
    }

    @Override
    public void stopWorkers() {
        if (jobs != null) {
            jobs.stop();
        }
    }

    @Override
    public void publishForeign(int events) {
        TransactionTemplate transaction = new TransactionTemplate(shard.shard().transactionManager());
        IntStream.range(0, events / BATCH).parallel().forEach(batch -> transaction.executeWithoutResult(status -> {
            PublishOptions options = PublishOptions.none().tags("foreign-" + batch % FOREIGN_TAGS);
            for (int i = 0; i < BATCH; i++) {
                queue.publish(new Work("foreign"), options);
            }
        }));
    }

    @Override
    public void publishMine(String payload) {
        queue.publish(new Work(payload), PublishOptions.none().tags("mine"));
    }

    @Override
    public boolean subscribe() {
        Optional<QueuedEvent> picked = queue.poll(Set.of("mine"), "worker");
        picked.ifPresent(event -> queue.finalizeEvent(event, List.of()));
        return picked.isPresent();
    }

    @Override
    public long unfinished() throws SQLException {
        return database.count("""
                SELECT (SELECT count(*) FROM eventlog.events)
                     + (SELECT count(*) FROM eventlog.event_notifications WHERE state <> 'SUCCEEDED')
                """);
    }

    @Override
    public void close() {
        signals.stop();
    }

}
