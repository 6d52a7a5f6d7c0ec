package io.eventqueue.handling;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventQueueListener;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.handling.Dispatcher.Recorded;
import io.eventqueue.handling.Lanes.BlockedKeys;
import io.eventqueue.jdbc.Database;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claiming and dispatching on one shard. The free places are shared among the handlers
 * that have work, so none starves.
 */
final class ShardHandling {

    private static final Logger log = LoggerFactory.getLogger(ShardHandling.class);

    private final Database database;

    private final EventHandlerRegistry registry;

    private final Capacity capacity;

    private final Dispatcher dispatcher;

    private final Lanes lanes;

    private final Precedence precedence;

    private final int batchSize;

    private final EventQueueListener listener;

    final Claims claims;

    final Outcomes outcomes;

    final EventClaims onEvents;

    final OutcomeWriter writer;

    private final Map<String, String> wholeEventHandlers;

    ShardHandling(Database database, EventHandlerRegistry registry, Capacity capacity, Dispatcher dispatcher,
            EventQueueListener listener, EventHandlingJob.Builder settings) {
        this.database = database;
        this.registry = registry;
        this.capacity = capacity;
        this.dispatcher = dispatcher;
        this.lanes = new Lanes(database, registry);
        this.precedence = new Precedence(database);
        this.onEvents = new EventClaims(database, settings.node, settings.retentionWindow);
        this.claims = new Claims(database, onEvents, settings.node, settings.abandonmentTimeout,
                settings.retentionWindow);
        this.outcomes = new Outcomes(database, onEvents, settings.node, listener, lanes, precedence);
        this.writer = new OutcomeWriter(outcomes, claims, dispatcher, capacity);
        this.batchSize = settings.batchSize;
        this.wholeEventHandlers = database.dialect().writesInQueries() ? DirectHandlers.wholeEventHandlers(registry)
                : Map.of();
        this.listener = listener;
    }

    Expiry expiry(Duration retentionWindow) {
        return new Expiry(database, retentionWindow, lanes, precedence);
    }

    /** Starts what waits for handlers that nobody attends to. */
    int releaseUnattended() {
        return precedence.releaseUnattended();
    }

    /** Tells how many keys of each ordered handler wait for an event that fails. */
    void reportBlockedKeys() {
        List<String> ordered = registry.handlers()
            .stream()
            .filter(HandlerDefinition::ordered)
            .map(HandlerDefinition::name)
            .toList();
        if (ordered.isEmpty()) {
            return;
        }
        Map<String, BlockedKeys> blocked = lanes.blockedKeys();
        for (String handler : ordered) {
            BlockedKeys keys = blocked.getOrDefault(handler, BlockedKeys.NONE);
            listener.keysBlocked(database.shard().name(), handler, keys.count(), keys.oldest());
        }
    }

    /** What this node may claim whole, here; the handler's name by event type. */
    Map<String, String> wholeEventHandlers() {
        return wholeEventHandlers;
    }

    Database database() {
        return database;
    }

    /**
     * Claims what is due and starts it; outcomes go to the writer. Returns how many were
     * started.
     */
    int claimAndDispatch() {
        List<Claim> claimed = claimDue();
        dispatch(claimed);
        return claimed.size();
    }

    /** Starts what was claimed; there is a place for each of them. */
    void dispatch(List<Claim> claimed) {
        claimed.forEach(claim -> dispatcher.dispatch(database, claim, outcomes, writer::add));
    }

    /** Claims what is due, runs it and writes the outcomes, all before it returns. */
    int claimAndComplete() throws InterruptedException {
        List<Claim> claimed = claimDue();
        CountDownLatch ended = new CountDownLatch(claimed.size());
        List<Recorded> recorded = Collections.synchronizedList(new ArrayList<>());
        Consumer<Recorded> sink = outcome -> {
            recorded.add(outcome);
            ended.countDown();
        };
        claimed.forEach(claim -> dispatcher.dispatch(database, claim, outcomes, sink));
        ended.await();
        recorded.forEach(writer::add);
        while (!writer.isEmpty()) {
            writer.writeGathered();
        }
        return claimed.size();
    }

    private List<Claim> claimDue() {
        Collection<String> known = registry.knownNames();
        List<String> names = known.isEmpty() ? List.of() : new ArrayList<>(claims.namesWithDueRows(known));
        int reserved = names.isEmpty() ? 0 : capacity.reserve(batchSize);
        if (reserved == 0) {
            return List.of();
        }
        List<Claim> claimed = new ArrayList<>();
        try {
            Collections.shuffle(names);
            for (int i = 0; i < names.size() && claimed.size() < reserved; i++) {
                int share = Math.max(1, (reserved - claimed.size()) / (names.size() - i));
                int limit = Math.min(share, roomOf(names.get(i), claimed));
                if (limit > 0) {
                    claimed.addAll(claim(names.get(i), limit));
                }
            }
        }
        catch (RuntimeException e) {
            // What was claimed before is ours and must run.
            if (claimed.isEmpty()) {
                throw e;
            }
            log.warn("Claiming on {} ended early; going on with {} claims", database.shard(), claimed.size(), e);
        }
        finally {
            capacity.giveBack(reserved - claimed.size());
        }
        precedence.abandoned(claimed);
        return claimed;
    }

    private List<Claim> claim(String name, int limit) {
        if (registry.find(name).orElseThrow().ordered()) {
            return claims.claimInOrder(name, limit, lanes);
        }
        return claims.claim(name, limit);
    }

    private int roomOf(String name, List<Claim> claimed) {
        HandlerDefinition handler = registry.find(name).orElseThrow();
        if (handler.concurrency() == 0) {
            return Integer.MAX_VALUE;
        }
        long claimedNow = claimed.stream()
            .filter(claim -> registry.find(claim.handlerName()).orElseThrow() == handler)
            .count();
        return (int) (handler.concurrency() - dispatcher.running(handler.name()) - claimedNow);
    }

}
