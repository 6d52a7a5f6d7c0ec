package io.eventqueue.fanout;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventQueueListener;
import io.eventqueue.Job;
import io.eventqueue.fanout.Fanout.Batch;
import io.eventqueue.fanout.Fanout.DirectClaim;
import io.eventqueue.fanout.Fanout.Work;
import io.eventqueue.handling.AbandonedPulls;
import io.eventqueue.handling.Claim;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.handling.Subscriptions;
import io.eventqueue.jdbc.Database;
import io.eventqueue.loop.Loop;
import io.eventqueue.loop.Signals.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns events into notifications, on every shard in parallel and beside any number of
 * other nodes. Wired to a running {@link EventHandlingJob}, it claims what that job has
 * room for in the same transaction; the rest is left for whoever is free. Slow handlers
 * never hold fan-out up: without room, it goes on unclaimed.
 */
public final class EventFanoutJob implements Job {

    /**
     * How long a batch waits for room in the local handling job before it is fanned out
     * unclaimed.
     */
    private static final Duration PATIENCE = Duration.ofMillis(50);

    private record OnShard(Database database, Subscriptions subscriptions, Fanout fanout, AbandonedPulls abandoned,
            AtomicReference<@Nullable String> frequentType) {
    }

    private final List<OnShard> shards = new ArrayList<>();

    private final List<Loop> loops = new ArrayList<>();

    private final Consumer<Signal> wake;

    private final int batchSize;

    private final EventQueueListener listener;

    private final @Nullable EventHandlingJob handlingJob;

    private volatile boolean running;

    private EventFanoutJob(Builder builder) {
        this.batchSize = builder.batchSize;
        this.listener = builder.listener;
        this.handlingJob = builder.handlingJob;
        for (Database database : builder.databases) {
            OnShard shard = new OnShard(database, new Subscriptions(database, builder.registry),
                    new Fanout(database, builder.retentionWindow), new AbandonedPulls(database, listener),
                    new AtomicReference<>());
            shards.add(shard);
            String name = "event-queue-fanout-" + database.shard().name();
            loops.add(new Loop(name, builder.pollDelay, () -> round(shard), e -> listener.roundFailed(name, e)));
        }
        this.wake = signal -> {
            if (signal == Signal.EVENTS) {
                loops.forEach(Loop::wake);
            }
        };
    }

    public static Builder eventFanoutJob() {
        return new Builder();
    }

    @Override
    public int drainOneRound() {
        int done = 0;
        for (OnShard shard : shards) {
            // What workers left behind may be for a handler by now.
            shard.abandoned().takeBack();
            done += round(shard);
        }
        return done;
    }

    private int round(OnShard shard) {
        Database database = shard.database();
        shard.subscriptions().refreshWhenDue();
        int events = claimFrequent(shard);
        shard.abandoned().takeBackWhenDue();
        for (Work work : shard.fanout().typesWithWork()) {
            Batch batch = fanOut(shard, work);
            if (batch.notifications() > 0) {
                events += batch.events();
                listener.fannedOut(database.shard().name(), batch.events(), batch.notifications());
                if (batch.notifications() > batch.claims().size()) {
                    database.shard().signals().raise(Signal.NOTIFICATIONS);
                }
            }
        }
        return events;
    }

    private Batch fanOut(OnShard shard, Work work) {
        EventHandlingJob job = handlingJob;
        Database database = shard.database();
        Fanout fanout = shard.fanout();
        String type = work.type();
        Set<String> mine = job == null ? Set.of() : job.directHandlersOf(type);
        if (job == null || mine.isEmpty()) {
            return fanout.fanOut(type, batchSize, DirectClaim.NONE);
        }
        int reserved = job.reserveForFanout(batchSize * mine.size(), mine.size(), PATIENCE);
        int events = reserved / mine.size();
        if (events == 0) {
            job.accept(database, List.of(), reserved);
            return fanout.fanOut(type, batchSize, DirectClaim.NONE);
        }
        Batch batch = new Batch(0, 0, List.of());
        try {
            if (work.subscriptions() == 1 && !work.overdue() && database.dialect().writesInQueries()) {
                batch = claimWhole(database, job, type, events);
                if (batch.events() > 0) {
                    shard.frequentType().set(type);
                }
            }
            if (batch.events() == 0) {
                batch = fanout.fanOut(type, events, new DirectClaim(job.node(), job.lease(), mine));
            }
        }
        finally {
            job.accept(database, batch.claims(), reserved);
        }
        return batch;
    }

    /**
     * A guess before all others are asked: the type that had events last has some again.
     * That is one round trip from the wake-up to the handler.
     */
    private int claimFrequent(OnShard shard) {
        EventHandlingJob job = handlingJob;
        Database database = shard.database();
        String type = shard.frequentType().get();
        if (job == null || type == null) {
            return 0;
        }
        int reserved = job.reserveForFanout(batchSize, 1, Duration.ZERO);
        Batch batch = new Batch(0, 0, List.of());
        try {
            batch = reserved == 0 ? batch : claimWhole(database, job, type, reserved);
        }
        finally {
            job.accept(database, batch.claims(), reserved);
        }
        if (batch.events() > 0) {
            listener.fannedOut(database.shard().name(), batch.events(), batch.notifications());
        }
        return batch.events();
    }

    private Batch claimWhole(Database database, EventHandlingJob job, String type, int limit) {
        List<Claim> claims = job.wholeEventHandlerOf(type)
            .map(handler -> job.eventClaims(database).claim(type, handler.name(), limit, job.lease()))
            .orElse(List.of());
        return new Batch(claims.size(), claims.size(), claims);
    }

    @Override
    public synchronized void start() {
        if (running) {
            return;
        }
        running = true;
        shards.forEach(shard -> shard.database().shard().signals().listen(wake));
        loops.forEach(Loop::start);
    }

    @Override
    public synchronized void stop() {
        if (!running) {
            return;
        }
        shards.forEach(shard -> shard.database().shard().signals().forget(wake));
        loops.forEach(Loop::requestStop);
        loops.forEach(loop -> loop.join(Duration.ofSeconds(30)));
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Collects what the job needs; only the databases are required. */
    public static final class Builder {

        private List<Database> databases = List.of();

        private EventHandlerRegistry registry = EventHandlerRegistry.eventHandlerRegistry().build();

        private Duration pollDelay = Duration.ofSeconds(1);

        private int batchSize = 200;

        private Duration retentionWindow = Duration.ofDays(7);

        private EventQueueListener listener = EventQueueListener.NONE;

        private @Nullable EventHandlingJob handlingJob;

        private Builder() {
        }

        public Builder databases(List<Database> value) {
            this.databases = List.copyOf(value);
            return this;
        }

        /**
         * This node's handlers, written to the table of subscriptions before the first
         * round.
         */
        public Builder eventHandlerRegistry(EventHandlerRegistry value) {
            this.registry = value;
            return this;
        }

        public Builder pollDelay(Duration value) {
            this.pollDelay = value;
            return this;
        }

        public Builder batchSize(int value) {
            this.batchSize = value;
            return this;
        }

        /** How long a subscription lasts after the last node that has it was seen. */
        public Builder retentionWindow(Duration value) {
            this.retentionWindow = value;
            return this;
        }

        public Builder listener(EventQueueListener value) {
            this.listener = value;
            return this;
        }

        /** Claims for this job at once whatever it has room for, while it runs. */
        public Builder handlingJob(@Nullable EventHandlingJob value) {
            this.handlingJob = value;
            return this;
        }

        public EventFanoutJob build() {
            if (databases.isEmpty()) {
                throw new IllegalArgumentException("EventFanoutJob needs at least one database");
            }
            if (batchSize < 1) {
                throw new IllegalArgumentException("fanout-batch-size is " + batchSize + ": use 1 or more");
            }
            return new EventFanoutJob(this);
        }

    }

}
