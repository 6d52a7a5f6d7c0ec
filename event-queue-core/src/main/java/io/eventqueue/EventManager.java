package io.eventqueue;

import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.log.ProjectionJob;
import io.eventqueue.outbox.TransactionalEventQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * The whole engine on one DataSource, for programs without Spring:
 *
 * <pre>{@code
 * try (EventManager manager = EventManager.eventManager(dataSource)
 *     .register(new FooHandler())
 *     .register(Bar.class, "print-bar", bar -> HandlerResult.success())
 *     .build()) {
 *     manager.start();
 *     manager.queue().publish(new Bar(1));
 * }
 * }</pre>
 *
 * Every event goes to all handlers registered for its class, here or on another node;
 * each succeeds, is tried again or ends on its own, and the event is finalized when all
 * have ended.
 */
public final class EventManager implements AutoCloseable {

    private final EventQueue queue;

    private final EventHandlingJob handling;

    private final EventFanoutJob fanout;

    private final ProjectionJob projections;

    private final JobRegistry jobs;

    private final CountDownLatch closed = new CountDownLatch(1);

    private EventManager(Builder builder) {
        if (builder.migrateSchema) {
            SchemaMigration.migrate(builder.shard.dataSource());
        }
        List<Database> databases = List.of(Database.of(builder.shard));
        EventHandlerRegistry registry = builder.handlers.build();
        this.queue = TransactionalEventQueue.eventQueue(databases)
            .serializer(builder.serializer)
            .listener(builder.listener)
            .abandonmentTimeout(builder.abandonmentTimeout)
            .retentionWindow(builder.retentionWindow)
            .build();
        this.handling = builder.handlingSettings
            .apply(EventHandlingJob.eventHandlingJob()
                .databases(databases)
                .eventHandlerRegistry(registry)
                .serializer(builder.serializer)
                .listener(builder.listener)
                .pollDelay(builder.pollDelay)
                .abandonmentTimeout(builder.abandonmentTimeout)
                .retentionWindow(builder.retentionWindow))
            .build();
        this.fanout = EventFanoutJob.eventFanoutJob()
            .databases(databases)
            .eventHandlerRegistry(registry)
            .listener(builder.listener)
            .pollDelay(builder.pollDelay)
            .retentionWindow(builder.retentionWindow)
            .handlingJob(handling)
            .build();
        this.projections = ProjectionJob.projectionJob()
            .databases(databases)
            .projections(builder.projections)
            .serializer(builder.serializer)
            .listener(builder.listener)
            .pollDelay(builder.pollDelay)
            .build();
        this.jobs = JobRegistry.jobRegistry().withJob(fanout).withJob(handling).withJob(projections).build();
    }

    public static Builder eventManager(DataSource dataSource) {
        return new Builder(Shard.of("main", dataSource));
    }

    /** Publishing joins the transactions of the given transaction manager. */
    public static Builder eventManager(DataSource dataSource, PlatformTransactionManager transactionManager) {
        return new Builder(Shard.of("main", dataSource, transactionManager));
    }

    /** Publishes events, and lets workers pull those that have no handler. */
    public EventQueue queue() {
        return queue;
    }

    /** Tells how far projections are, and resets them. */
    public ProjectionJob projections() {
        return projections;
    }

    /** Starts processing in the background. */
    public void start() {
        jobs.start();
    }

    /**
     * Processes events until {@link #close()} is called or the calling thread is
     * interrupted; it returns when everything has stopped.
     */
    public void runProcessLoop() {
        start();
        try {
            closed.await();
        }
        catch (InterruptedException e) {
            close();
            Thread.currentThread().interrupt();
        }
        jobs.stop();
    }

    /**
     * Processes what is due in the calling thread and returns: for tests and manual use.
     * @return how many events were fanned out and projected, and deliveries attempted
     */
    public int processDue() {
        int done = 0;
        for (int round = 1; round > 0; done += round) {
            round = fanout.drainOneRound() + handling.drainOneRound() + projections.drainOneRound();
        }
        return done;
    }

    /**
     * Removes what is kept of successful deliveries of finalized events now; by itself
     * that happens after a week. The events stay in the log, and failed deliveries stay
     * for an operator.
     */
    public void cleanupFinalizedEvents() {
        handling.cleanUpFinalized();
    }

    /**
     * Stops: no new work is taken, running handlers get the shutdown timeout, and what is
     * unfinished then is handed back to other nodes.
     */
    @Override
    public void close() {
        closed.countDown();
        jobs.stop();
    }

    /** Collects the handlers; nothing else is required. */
    public static final class Builder {

        private final Shard shard;

        private final EventHandlerRegistry.Builder handlers = EventHandlerRegistry.eventHandlerRegistry();

        private final List<EventLogProjection> projections = new ArrayList<>();

        private EventSerializer serializer = EventSerializer.standard();

        private EventQueueListener listener = EventQueueListener.NONE;

        private Duration pollDelay = Duration.ofSeconds(1);

        private Duration abandonmentTimeout = Duration.ofMinutes(1);

        private Duration retentionWindow = Duration.ofDays(7);

        private UnaryOperator<EventHandlingJob.Builder> handlingSettings = settings -> settings;

        private boolean migrateSchema = true;

        private Builder(Shard shard) {
            this.shard = shard;
        }

        /**
         * Registers a handler under its own name.
         * @throws InvalidHandlerException if the name is taken
         */
        public Builder register(Handler<?> handler) {
            handlers.withHandler(handler);
            return this;
        }

        /**
         * Registers a lambda.
         * @param id its durable name, unlike any other's
         * @throws InvalidHandlerException if the name is taken
         */
        public <E> Builder register(Class<E> eventClass, String id, HandlerFunction<E> handler) {
            handlers.withHandler(eventClass, id, handler);
            return this;
        }

        /**
         * Registers a projection of the event log.
         */
        public Builder register(EventLogProjection projection) {
            projections.add(projection);
            return this;
        }

        public Builder serializer(EventSerializer value) {
            this.serializer = value;
            return this;
        }

        public Builder listener(EventQueueListener value) {
            this.listener = value;
            return this;
        }

        /** How long an idle loop waits; a commit in this process wakes it earlier. */
        public Builder pollDelay(Duration value) {
            this.pollDelay = value;
            return this;
        }

        /** How long a node or worker may be silent before others take its claims over. */
        public Builder abandonmentTimeout(Duration value) {
            this.abandonmentTimeout = value;
            return this;
        }

        /** How long a delivery is tried before it is EXPIRED. */
        public Builder retentionWindow(Duration value) {
            this.retentionWindow = value;
            return this;
        }

        /** All other settings of the handlers: retries, concurrency, shutdown. */
        public Builder handling(UnaryOperator<EventHandlingJob.Builder> settings) {
            this.handlingSettings = settings;
            return this;
        }

        /** False if the tables are created by somebody else. */
        public Builder migrateSchema(boolean value) {
            this.migrateSchema = value;
            return this;
        }

        public EventManager build() {
            return new EventManager(this);
        }

    }

}
