package io.eventqueue;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event as it is handed to a handler, with everything known about this delivery.
 * {@link #notificationId()} is the same in every attempt and different for every handler:
 * a good idempotency key for calls to other systems.
 *
 * @param attempt 1 for the first invocation
 * @param handler the handler's own (canonical) name, also when the row was queued under
 * an alias
 */
public record EventEnvelope<E>(E event, UUID eventId, UUID notificationId, int attempt, String handler,
        String eventType, @Nullable String key, Instant eventDate, Map<String, String> headers, ActionContext action) {

    /**
     * Identifies the chain of events this one belongs to: the id of the event that
     * started it.
     */
    public String correlationId() {
        return headers.getOrDefault(EventHeaders.CORRELATION_ID, eventId.toString());
    }

    /**
     * The event whose handler published this one, or null when it was published outside a
     * handler.
     */
    public @Nullable String causationId() {
        return headers.get(EventHeaders.CAUSATION_ID);
    }
}
