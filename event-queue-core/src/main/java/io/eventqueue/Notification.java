package io.eventqueue;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One delivery (event x handler) as it stands in {@code event_notifications}.
 *
 * @param handler the name the delivery was made for; after a renaming possibly the old
 * one
 * @param attempts how often the handler was called, counting a call that still runs
 * @param nextAttemptAt when it may be tried; while somebody works on it, the end of the
 * lease; null when it is done
 * @param owner the node working on it, if any
 * @param lastError what went wrong last, also when a later attempt succeeded
 */
public record Notification(UUID id, UUID eventId, String handler, NotificationState state, int attempts,
        @Nullable Instant nextAttemptAt, @Nullable String owner, @Nullable String lastError, Instant updatedAt) {
}
