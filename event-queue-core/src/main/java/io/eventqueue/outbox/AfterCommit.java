package io.eventqueue.outbox;

import io.eventqueue.EventQueueListener;
import io.eventqueue.Shard;
import io.eventqueue.loop.Handover;
import io.eventqueue.loop.Handover.Committed;
import io.eventqueue.loop.Signals.Signal;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Remembers what one transaction published to one shard. When it commits, hands over what
 * somebody on this node waits for, wakes the loops once for the rest, and tells the
 * listener.
 */
final class AfterCommit implements TransactionSynchronization {

    private record Key(Shard shard, EventQueueListener listener) {
    }

    private final Key key;

    private final Map<String, Integer> published = new LinkedHashMap<>();

    private final Map<Handover, List<Committed>> handedOver = new IdentityHashMap<>();

    private AfterCommit(Key key) {
        this.key = key;
    }

    static AfterCommit of(Shard shard, EventQueueListener listener) {
        Key key = new Key(shard, listener);
        for (TransactionSynchronization synchronization : TransactionSynchronizationManager.getSynchronizations()) {
            if (synchronization instanceof AfterCommit candidate && candidate.key.equals(key)) {
                return candidate;
            }
        }
        AfterCommit created = new AfterCommit(key);
        TransactionSynchronizationManager.registerSynchronization(created);
        return created;
    }

    void published(@Nullable String eventType) {
        if (eventType != null) {
            published.merge(eventType, 1, Integer::sum);
        }
    }

    void handOver(Handover to, List<Committed> events) {
        handedOver.computeIfAbsent(to, handover -> new ArrayList<>()).addAll(events);
    }

    /** Not afterCommit, which is left out if another callback fails before. */
    @Override
    public void afterCompletion(int status) {
        if (status != STATUS_COMMITTED || published.isEmpty()) {
            return;
        }
        handedOver.forEach(Handover::committed);
        int events = published.values().stream().mapToInt(Integer::intValue).sum();
        if (events > handedOver.values().stream().mapToInt(List::size).sum()) {
            key.shard.signals().raise(Signal.EVENTS);
        }
        published.forEach(key.listener::published);
    }

}
