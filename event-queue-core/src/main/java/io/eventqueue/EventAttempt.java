package io.eventqueue;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One line of an event's audit: what a worker, a node or an operator did with it.
 *
 * @param handlerName the handler whose attempt failed; null for workers
 * @param workerId the worker, or the node that ran the handler; null for operators
 * @param attempt the attempt it belongs to, counted from 1; 0 if there was none yet
 * @param retryAt for a failed attempt: when the event is due again; null if it is not
 */
public record EventAttempt(long id, UUID eventId, @Nullable String handlerName, @Nullable String workerId,
        AttemptAction action, int attempt, @Nullable Integer statusCode, @Nullable Long executionTimeMs,
        @Nullable String errorClass, @Nullable String error, @Nullable Instant retryAt, Instant createdAt) {
}
