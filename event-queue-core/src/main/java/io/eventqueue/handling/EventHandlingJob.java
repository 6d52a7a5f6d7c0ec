package io.eventqueue.handling;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventInterceptor;
import io.eventqueue.EventQueueListener;
import io.eventqueue.EventSerializer;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.Job;
import io.eventqueue.RetryPolicy;
import io.eventqueue.jdbc.Database;
import io.eventqueue.loop.Loop;
import io.eventqueue.loop.Signals.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs handlers for due notifications, on every shard in parallel and beside any number
 * of other nodes:
 *
 * <ol>
 * <li>a claim loop per shard takes what is due and what there is room for;
 * <li>handlers run on virtual threads, and free places are filled again while slow ones
 * still run;
 * <li>a writer per shard records outcomes in batches;
 * <li>leases are renewed until their outcome is recorded.
 * </ol>
 *
 * Stopping goes in that order: claiming, handlers, outcomes, and lease renewal last.
 */
public final class EventHandlingJob implements Job {

    private static final Logger log = LoggerFactory.getLogger(EventHandlingJob.class);

    private static final Duration MAINTENANCE = Duration.ofSeconds(10);

    private static final Duration AFTER_INTERRUPTION = Duration.ofSeconds(2);

    private static final Duration LAST_OUTCOMES = Duration.ofSeconds(10);

    private final String node;

    private final EventHandlerRegistry registry;

    private final Duration lease;

    private final Duration shutdownTimeout;

    private final Capacity capacity;

    private final Dispatcher dispatcher;

    private final EventQueueListener listener;

    private final Map<Database, ShardHandling> shards = new LinkedHashMap<>();

    private final Map<Database, ShardUpkeep> upkeeps = new LinkedHashMap<>();

    private final Map<Database, HandoverToNode> handovers = new LinkedHashMap<>();

    private final List<Loop> claimLoops = new ArrayList<>();

    private final List<Loop> writeLoops = new ArrayList<>();

    private final List<Loop> supportLoops = new ArrayList<>();

    private final Consumer<Signal> wake;

    private volatile boolean running;

    private volatile boolean accepting;

    private EventHandlingJob(Builder builder) {
        this.node = builder.node;
        this.registry = builder.registry;
        this.lease = builder.abandonmentTimeout;
        this.shutdownTimeout = builder.shutdownTimeout;
        this.listener = builder.listener;
        this.capacity = new Capacity(builder.concurrency, builder.batchSize, builder.databases.size());
        Invoker invoker = new Invoker(builder.serializer, builder.interceptors, builder.retryPolicy,
                builder.retentionWindow);
        this.dispatcher = new Dispatcher(registry, invoker, capacity, listener);
        for (Database database : builder.databases) {
            ShardHandling shard = new ShardHandling(database, registry, capacity, dispatcher, listener, builder);
            HandoverToNode handover = new HandoverToNode(shard, capacity, listener, node, lease);
            ShardUpkeep upkeep = new ShardUpkeep(shard, dispatcher, handover, listener, builder);
            handovers.put(database, handover);
            shards.put(database, shard);
            upkeeps.put(database, upkeep);
            String name = database.shard().name();
            claimLoops.add(loop("claims-" + name, builder.pollDelay, () -> claimRound(shard, builder.pollDelay)));
            writeLoops.add(loop("outcomes-" + name, Duration.ofMillis(1), shard.writer::writeGathered));
            supportLoops.add(loop("leases-" + name, upkeep.leaseDelay(), upkeep::keepLeases));
            supportLoops.add(loop("maintenance-" + name, MAINTENANCE, upkeep::maintain));
        }
        this.wake = signal -> {
            if (signal == Signal.NOTIFICATIONS) {
                claimLoops.forEach(Loop::wake);
            }
        };
    }

    public static Builder eventHandlingJob() {
        return new Builder();
    }

    private Loop loop(String name, Duration delay, Loop.Round round) {
        String full = "event-queue-" + name;
        return new Loop(full, delay, round, e -> listener.roundFailed(full, e));
    }

    /**
     * Expires, claims one batch, runs its handlers, waits for them and writes their
     * outcomes.
     */
    @Override
    public int drainOneRound() {
        int done = 0;
        for (ShardHandling shard : shards.values()) {
            done += upkeep(shard.database()).once();
            try {
                done += shard.claimAndComplete();
            }
            catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return done;
            }
        }
        return done;
    }

    private int claimRound(ShardHandling shard, Duration pollDelay) throws InterruptedException {
        return capacity.awaitFree(1, pollDelay) ? shard.claimAndDispatch() : 0;
    }

    private ShardHandling shard(Database database) {
        return Objects.requireNonNull(shards.get(database));
    }

    private ShardUpkeep upkeep(Database database) {
        return Objects.requireNonNull(upkeeps.get(database));
    }

    /**
     * Removes old rows now, instead of waiting for the maintenance loop; returns how
     * many.
     */
    public int prune() {
        return upkeeps.values().stream().mapToInt(ShardUpkeep::prune).sum();
    }

    /** The databases it works on, in the order they were given. */
    public List<Database> databases() {
        return List.copyOf(shards.keySet());
    }

    /**
     * Deletes the notifications that succeeded of all finalized events now, however young
     * they are.
     */
    public void cleanUpFinalized() {
        upkeeps.values().forEach(ShardUpkeep::cleanUpFinalized);
    }

    /** This node's id, as it stands in the owner column. */
    public String node() {
        return node;
    }

    public Duration lease() {
        return lease;
    }

    /** How many handlers run at this moment. */
    public int inFlight() {
        return capacity.running();
    }

    /**
     * Handlers of {@code eventType} that fan-out may claim for: those without limits that
     * only a claim can respect.
     */
    public Set<String> directHandlersOf(String eventType) {
        return accepting ? DirectHandlers.of(registry, eventType) : Set.of();
    }

    /**
     * The handler for which fan-out may claim events of this type whole, if it is the
     * only one subscribed: it needs no notification before it has run.
     */
    public Optional<HandlerDefinition> wholeEventHandlerOf(String eventType) {
        return accepting ? DirectHandlers.wholeEventHandlerOf(registry, eventType) : Optional.empty();
    }

    /** Claims on whole events, made for this node. */
    public EventClaims eventClaims(Database database) {
        return shard(database).onEvents;
    }

    /**
     * Takes up to {@code wanted} places for fan-out, waiting a moment for a worthwhile
     * number of them.
     */
    public int reserveForFanout(int wanted, int atLeast, Duration patience) {
        try {
            capacity.awaitFree(Math.max(atLeast, wanted / 4), patience);
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
        return capacity.reserve(wanted);
    }

    /** Runs what fan-out claimed and gives back the places it did not need. */
    public void accept(Database database, List<Claim> claims, int reserved) {
        capacity.giveBack(Math.max(0, reserved - claims.size()));
        ShardHandling shard = shard(database);
        if (!accepting && !claims.isEmpty()) {
            shard.claims.handBack(claims, false);
            capacity.giveBack(claims.size());
            return;
        }
        shard.dispatch(claims);
    }

    @Override
    public synchronized void start() {
        if (running) {
            return;
        }
        running = true;
        dispatcher.started();
        accepting = true;
        shards.keySet().forEach(database -> database.shard().signals().listen(wake));
        handovers.forEach((database, handover) -> {
            handover.open();
            database.shard().signals().handOverTo(handover);
        });
        writeLoops.forEach(Loop::start);
        supportLoops.forEach(Loop::start);
        claimLoops.forEach(Loop::start);
    }

    @Override
    public synchronized void stop() {
        if (!running) {
            return;
        }
        accepting = false;
        handovers.forEach((database, handover) -> {
            database.shard().signals().forgetHandover(handover);
            handover.close();
        });
        shards.keySet().forEach(database -> database.shard().signals().forget(wake));
        claimLoops.forEach(Loop::requestStop);
        claimLoops.forEach(loop -> loop.join(Duration.ofSeconds(10)));
        if (!awaitIdle(shutdownTimeout)) {
            log.warn("{} handlers still run after the shutdown timeout of {}; interrupting them", capacity.running(),
                    shutdownTimeout);
            dispatcher.interruptAll();
            awaitIdle(AFTER_INTERRUPTION);
        }
        writeLoops.forEach(Loop::requestStop);
        writeLoops.forEach(loop -> loop.join(Duration.ofSeconds(10)));
        shards.values().forEach(this::finishWriting);
        supportLoops.forEach(Loop::requestStop);
        supportLoops.forEach(loop -> loop.join(Duration.ofSeconds(10)));
        running = false;
    }

    private boolean awaitIdle(Duration limit) {
        try {
            return capacity.awaitIdle(limit);
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Writes the last outcomes and hands back what has none, so that another node can go
     * on at once.
     */
    private void finishWriting(ShardHandling shard) {
        List<InFlight> unfinished = dispatcher.inFlight()
            .stream()
            .filter(entry -> entry.database == shard.database() && entry.decide())
            .toList();
        try {
            if (!unfinished.isEmpty()) {
                shard.claims.handBack(unfinished.stream().map(entry -> entry.claim).toList(), true);
                unfinished.forEach(dispatcher::forget);
                capacity.recorded(unfinished.size());
            }
            // Each of the others is decided: its outcome is in the writer or about to be.
            long end = System.nanoTime() + LAST_OUTCOMES.toNanos();
            while (dispatcher.hasInFlight(shard.database()) && System.nanoTime() < end) {
                shard.writer.writeGathered();
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        catch (RuntimeException e) {
            log.warn("Could not hand back unfinished claims on {}; other nodes take over when the leases end",
                    shard.database().shard(), e);
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Collects what the job needs; the databases and the registry are required. */
    public static final class Builder {

        String node = NodeId.next();

        private List<Database> databases = List.of();

        EventHandlerRegistry registry = EventHandlerRegistry.eventHandlerRegistry().build();

        private EventSerializer serializer = EventSerializer.standard();

        private List<EventInterceptor> interceptors = List.of();

        private EventQueueListener listener = EventQueueListener.NONE;

        private RetryPolicy retryPolicy = RetryPolicy.DEFAULT;

        private Duration pollDelay = Duration.ofSeconds(1);

        int batchSize = 100;

        private int concurrency = 64;

        Duration retentionWindow = Duration.ofDays(7);

        Duration abandonmentTimeout = Duration.ofMinutes(1);

        private Duration shutdownTimeout = Duration.ofSeconds(30);

        Duration logRetention = Duration.ofDays(30);

        Duration notificationRetention = Duration.ofDays(7);

        Duration deadLetterRetention = Duration.ofDays(30);

        Set<String> retiredHandlers = Set.of();

        private Builder() {
        }

        public Builder databases(List<Database> value) {
            this.databases = List.copyOf(value);
            return this;
        }

        public Builder eventHandlerRegistry(EventHandlerRegistry value) {
            this.registry = value;
            return this;
        }

        public Builder serializer(EventSerializer value) {
            this.serializer = value;
            return this;
        }

        public Builder interceptors(Collection<? extends EventInterceptor> value) {
            this.interceptors = List.copyOf(value);
            return this;
        }

        public Builder listener(EventQueueListener value) {
            this.listener = value;
            return this;
        }

        /** What handlers inherit that say nothing themselves. */
        public Builder retryPolicy(RetryPolicy value) {
            this.retryPolicy = value.orElse(RetryPolicy.DEFAULT);
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

        /** Handlers at a time on this node, over all shards. */
        public Builder concurrency(int value) {
            this.concurrency = value;
            return this;
        }

        public Builder retentionWindow(Duration value) {
            this.retentionWindow = value;
            return this;
        }

        /** How long a node may be silent before others take its claims over. */
        public Builder abandonmentTimeout(Duration value) {
            this.abandonmentTimeout = value;
            return this;
        }

        public Builder shutdownTimeout(Duration value) {
            this.shutdownTimeout = value;
            return this;
        }

        public Builder logRetention(Duration value) {
            this.logRetention = value;
            return this;
        }

        public Builder notificationRetention(Duration value) {
            this.notificationRetention = value;
            return this;
        }

        /** How long a dead letter waits for somebody to replay or discard it. */
        public Builder deadLetterRetention(Duration value) {
            this.deadLetterRetention = value;
            return this;
        }

        /**
         * Names of handlers that are gone for good: they get no further events, and their
         * open deliveries expire, instead of waiting for the retention window.
         */
        public Builder retiredHandlers(Collection<String> value) {
            this.retiredHandlers = Set.copyOf(value);
            return this;
        }

        public EventHandlingJob build() {
            if (databases.isEmpty()) {
                throw new IllegalArgumentException("EventHandlingJob needs at least one database");
            }
            if (batchSize < 1 || concurrency < 1) {
                throw new IllegalArgumentException("handling-batch-size (" + batchSize + ") and handling.concurrency ("
                        + concurrency + ") must be 1 or more");
            }
            return new EventHandlingJob(this);
        }

    }

}
