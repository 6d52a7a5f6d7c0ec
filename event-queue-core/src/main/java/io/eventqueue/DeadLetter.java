package io.eventqueue;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A delivery (event x handler) that ended without success and will not be tried again by
 * itself. The payload is left out: it may be confidential, and {@link EventQueue#find}
 * has it.
 *
 * @param id the notification's id, by which it is replayed or discarded
 * @param shard name of the shard it lives on
 * @param handler the name the delivery was made for; after a renaming possibly the old
 * one
 * @param state DEAD or EXPIRED
 * @param attempts how often the handler was called, over all replays
 * @param error class and message of the last failure, or why it expired
 * @param endedAt when it became a dead letter
 * @param replayed whether it was replayed before, and came back
 */
public record DeadLetter(UUID id, String shard, UUID eventId, String handler, String eventType, @Nullable String key,
        NotificationState state, int attempts, @Nullable String error, Instant eventDate, Instant endedAt,
        boolean replayed) {
}
