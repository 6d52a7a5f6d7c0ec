package io.eventqueue.handling;

import io.eventqueue.EventQueueListener;
import io.eventqueue.jdbc.Database;
import io.eventqueue.log.Retention;
import io.eventqueue.loop.Signals.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What one shard needs beside claiming and handling, in two rounds:
 *
 * <ol>
 * <li>{@link #keepLeases}: leases of handlers that still run are renewed, claims of nodes
 * that died are opened to all, and the node looks which events it may take at once;
 * <li>{@link #maintain}: what is too old expires, and what was kept long enough is
 * deleted.
 * </ol>
 */
final class ShardUpkeep {

    /** How long a run may go on before its notification is written. */
    private static final Duration LONG_RUN = Duration.ofSeconds(1);

    private static final int EXPIRY_BATCH = 500;

    private final ShardHandling shard;

    private final Dispatcher dispatcher;

    private final Subscriptions subscriptions;

    private final Expiry expiry;

    private final Retention retention;

    private final EventQueueListener listener;

    private final Duration lease;

    private final HandoverToNode handover;

    private long renewedNanos;

    ShardUpkeep(ShardHandling shard, Dispatcher dispatcher, HandoverToNode handover, EventQueueListener listener,
            EventHandlingJob.Builder settings) {
        Database database = shard.database();
        this.shard = shard;
        this.dispatcher = dispatcher;
        this.handover = handover;
        this.subscriptions = new Subscriptions(database, settings.registry, settings.retiredHandlers);
        this.expiry = shard.expiry(settings.retentionWindow);
        this.retention = new Retention(database, settings.logRetention, settings.notificationRetention,
                settings.deadLetterRetention);
        this.listener = listener;
        this.lease = settings.abandonmentTimeout;
        this.renewedNanos = System.nanoTime() - renewalInterval().toNanos();
    }

    /** How often leases need a look. */
    Duration leaseDelay() {
        Duration renewal = renewalInterval();
        return renewal.compareTo(LONG_RUN) < 0 ? renewal : LONG_RUN;
    }

    private Duration renewalInterval() {
        return lease.dividedBy(4);
    }

    int keepLeases() {
        showLongRuns();
        lookForHandover();
        long now = System.nanoTime();
        if (now - renewedNanos < renewalInterval().toNanos()) {
            return 0;
        }
        List<InFlight> held = heldSince(now - lease.toNanos() / 5);
        if (!held.isEmpty()) {
            shard.claims.renew(claimsOf(held));
        }
        int recovered = recover();
        renewedNanos = now;
        return recovered;
    }

    /** What is published on this node need not be looked for, if nobody else wants it. */
    private void lookForHandover() {
        Map<String, String> mine = shard.wholeEventHandlers();
        if (!mine.isEmpty()) {
            handover.renew(() -> {
                Map<String, String> only = shard.onEvents.onlyHandlers(mine.keySet());
                only.entrySet().retainAll(mine.entrySet());
                return only;
            });
        }
    }

    /** A run that takes its time gets its notification at once, for all to see. */
    private void showLongRuns() {
        long old = System.nanoTime() - LONG_RUN.toNanos();
        List<InFlight> hidden = heldSince(old).stream().filter(entry -> entry.claim.onEvent()).toList();
        if (!hidden.isEmpty()) {
            shard.claims.writeNotifications(claimsOf(hidden));
            hidden.forEach(entry -> entry.goOnUnder(entry.claim.onNotification()));
        }
    }

    /** Whole events of nodes that died can be claimed again, as notifications. */
    private int recover() {
        int recovered = shard.onEvents.recover();
        if (recovered > 0) {
            shard.database().shard().signals().raise(Signal.NOTIFICATIONS);
        }
        return recovered;
    }

    private List<InFlight> heldSince(long nanos) {
        Database database = shard.database();
        return dispatcher.inFlight()
            .stream()
            .filter(entry -> entry.database == database && entry.claimedNanos < nanos)
            .toList();
    }

    private static List<Claim> claimsOf(List<InFlight> entries) {
        return entries.stream().map(entry -> entry.claim).toList();
    }

    int maintain() {
        int settled = settle();
        int pruned = prune();
        return settled >= EXPIRY_BATCH || pruned > 0 ? 1 : 0;
    }

    /** All that a round of handling by hand can wait for; returns how much it did. */
    int once() {
        recover();
        return settle();
    }

    private int settle() {
        int settled = expire() + shard.releaseUnattended();
        shard.reportBlockedKeys();
        return settled;
    }

    int prune() {
        return retention.prune();
    }

    /** Deletes the notifications of finalized events, however young. */
    void cleanUpFinalized() {
        while (retention.pruneNotifications(0) > 0) {
            // one batch after the other
        }
    }

    /** Ends what is too old and what belongs to retired handlers; returns how many. */
    private int expire() {
        subscriptions.refreshWhenDue();
        int expired = expiry.expire(EXPIRY_BATCH);
        for (String name : subscriptions.retiredNames()) {
            expired += expiry.expireOf(name, EXPIRY_BATCH);
        }
        if (expired > 0) {
            listener.expired(shard.database().shard().name(), expired);
        }
        return expired;
    }

}
