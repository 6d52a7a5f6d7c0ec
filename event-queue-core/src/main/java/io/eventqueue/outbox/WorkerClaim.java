package io.eventqueue.outbox;

import io.eventqueue.EventStatus;
import io.eventqueue.QueuedEvent;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a worker shows to prove that an event is its own.
 *
 * @param attempt the attempt it was given by the poll; null if the worker did not keep
 * it: then a claim it got later on the same event counts as this one
 */
public record WorkerClaim(UUID eventId, String workerId, @Nullable Integer attempt) {

    /** The claim that came with a polled event. */
    public static WorkerClaim of(QueuedEvent polled) {
        return new WorkerClaim(polled.id(), Objects.requireNonNullElse(polled.workerId(), ""), polled.attempts());
    }

    boolean holds(QueuedEvent event) {
        return event.status() == EventStatus.PROCESSING && workerId.equals(event.workerId())
                && (attempt == null || attempt == event.attempts());
    }
}
