package io.eventqueue;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event as it stands in {@code events} or {@code event_log}.
 *
 * @param attempts how often a worker picked it, or how often its handlers were invoked in
 * all
 * @param errors for a finalized event: what went wrong, as JSON
 */
public record QueuedEvent(UUID id, EventStatus status, String eventType, String payload, @Nullable String key,
        List<String> tags, Map<String, String> headers, @Nullable String title, @Nullable String description,
        ActionContext action, Instant eventDate, Instant availableAt, int attempts, int retryCount, int maxRetries,
        @Nullable String workerId, @Nullable String errors, Instant createdAt, Instant updatedAt) {
}
