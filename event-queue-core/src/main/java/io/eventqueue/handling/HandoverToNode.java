package io.eventqueue.handling;

import io.eventqueue.EventQueueListener;
import io.eventqueue.loop.Handover;
import io.eventqueue.loop.Signals.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * From the commit to the handler without a query in between, for events that
 * {@link EventClaims} could claim whole:
 *
 * <ol>
 * <li>the event is inserted as claimed by this node, if the node has room and its handler
 * was the only subscription, and not paused, when it last looked;
 * <li>after the commit the handler starts. Had the transaction rolled back, nobody would
 * know of the event;
 * <li>if there is no room any more, or the transaction took its time, the claim is given
 * up, and the event is fanned out as any other;
 * <li>a handler that was subscribed meanwhile gets its notification when this one has
 * ended, see {@link EventClaims}.
 * </ol>
 */
final class HandoverToNode implements Handover {

    private static final Logger log = LoggerFactory.getLogger(HandoverToNode.class);

    /**
     * How long the transaction may take, so that a pause is soon respected and the lease
     * lasts.
     */
    private static final Duration PROMPT = Duration.ofSeconds(1);

    private static final Duration VALID = Duration.ofSeconds(5);

    private record Known(Map<String, String> handlers, long nanos) {
    }

    private final ShardHandling shard;

    private final Capacity capacity;

    private final EventQueueListener listener;

    private final String node;

    private final Duration lease;

    private final AtomicInteger withdrawals = new AtomicInteger();

    private volatile @Nullable Known known;

    private volatile boolean open;

    HandoverToNode(ShardHandling shard, Capacity capacity, EventQueueListener listener, String node, Duration lease) {
        this.shard = shard;
        this.capacity = capacity;
        this.listener = listener;
        this.node = node;
        this.lease = lease;
    }

    void open() {
        open = true;
    }

    void close() {
        open = false;
        withdraw();
    }

    /**
     * From now on events go to the handlers that {@code look} finds, by event type;
     * unless somebody withdrew meanwhile, who may know better.
     */
    void renew(Supplier<Map<String, String>> look) {
        int before = withdrawals.get();
        Known found = new Known(look.get(), System.nanoTime());
        synchronized (withdrawals) {
            known = withdrawals.get() == before ? found : known;
        }
    }

    @Override
    public void withdraw() {
        synchronized (withdrawals) {
            withdrawals.incrementAndGet();
            known = null;
        }
    }

    @Override
    public @Nullable Offer offerFor(String eventType) {
        Known current = known;
        if (!open || current == null || System.nanoTime() - current.nanos() > VALID.toNanos()) {
            return null;
        }
        String handler = current.handlers().get(eventType);
        return handler == null || !capacity.hasRoom() ? null : new Offer(node, handler, lease);
    }

    @Override
    public void committed(List<Committed> events) {
        long oldest = System.nanoTime() - Math.min(PROMPT.toNanos(), lease.toNanos() / 4);
        List<Claim> prompt = new ArrayList<>();
        List<Claim> late = new ArrayList<>();
        events.forEach(event -> (event.insertedNanos() - oldest > 0 ? prompt : late).add(Claim.of(event)));
        int reserved = capacity.reserve(prompt.size());
        if (!open) {
            // Asked after the reservation, for which a stop waits.
            capacity.giveBack(reserved);
            reserved = 0;
        }
        List<Claim> taken = prompt.subList(0, reserved);
        shard.dispatch(taken);
        if (!taken.isEmpty()) {
            listener.fannedOut(shard.database().shard().name(), taken.size(), taken.size());
        }
        late.addAll(prompt.subList(reserved, prompt.size()));
        if (!late.isEmpty()) {
            Thread.ofVirtual().name("event-queue-give-up").start(() -> giveUp(late));
        }
    }

    private void giveUp(List<Claim> claims) {
        try {
            shard.onEvents.giveUp(claims);
            shard.database().shard().signals().raise(Signal.EVENTS);
        }
        catch (RuntimeException e) {
            log.warn("{} events on {} wait until their lease of {} s ends", claims.size(), shard.database().shard(),
                    TimeUnit.NANOSECONDS.toSeconds(lease.toNanos()), e);
        }
    }

}
