package io.eventqueue.outbox;

import io.eventqueue.QueuedEvent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The claims a queue has handed out, so that an event can be finalized by its id alone
 * and still be fenced. Keeps the latest {@value #LIMIT}; nothing depends on it but that
 * call.
 */
final class HeldClaims {

    private static final int LIMIT = 10_000;

    private final Map<UUID, WorkerClaim> claims = new LinkedHashMap<>() {

        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, WorkerClaim> eldest) {
            return size() > LIMIT;
        }
    };

    synchronized void add(QueuedEvent polled) {
        claims.remove(polled.id());
        claims.put(polled.id(), WorkerClaim.of(polled));
    }

    synchronized @Nullable WorkerClaim get(UUID eventId) {
        return claims.get(eventId);
    }

}
