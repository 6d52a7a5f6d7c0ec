package io.eventqueue.outbox;

import io.eventqueue.EventQueueListener;
import io.eventqueue.Shard;
import io.eventqueue.loop.Signals.Signal;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Counts what one transaction published to one shard; when it commits, wakes the loops
 * once and tells the listener.
 */
final class AfterCommit implements TransactionSynchronization {

    private record Key(Shard shard, EventQueueListener listener) {
    }

    private final Key key;

    private final Map<String, Integer> published = new LinkedHashMap<>();

    private AfterCommit(Key key) {
        this.key = key;
    }

    static void published(Shard shard, EventQueueListener listener, @Nullable String eventType) {
        Key key = new Key(shard, listener);
        AfterCommit existing = null;
        for (TransactionSynchronization synchronization : TransactionSynchronizationManager.getSynchronizations()) {
            if (synchronization instanceof AfterCommit candidate && candidate.key.equals(key)) {
                existing = candidate;
            }
        }
        if (existing == null) {
            existing = new AfterCommit(key);
            TransactionSynchronizationManager.registerSynchronization(existing);
        }
        if (eventType != null) {
            existing.published.merge(eventType, 1, Integer::sum);
        }
    }

    @Override
    public void afterCommit() {
        if (published.isEmpty()) {
            return;
        }
        key.shard.signals().raise(Signal.EVENTS);
        published.forEach(key.listener::published);
    }

}
