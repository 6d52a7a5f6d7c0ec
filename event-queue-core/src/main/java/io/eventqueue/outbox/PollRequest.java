package io.eventqueue.outbox;

import io.eventqueue.InvalidEventException;
import java.time.Duration;
import java.util.Set;

/**
 * What a worker asks for.
 *
 * @param tags any of them is enough; none means any event, with tags or without
 * @param workerId who asks: it stands in the event while the claim lasts
 * @param max at most so many events
 * @param lease how long the claim lasts without a heartbeat
 */
public record PollRequest(Set<String> tags, String workerId, int max, Duration lease) {

    public PollRequest {
        tags = Set.copyOf(tags);
        if (workerId.isBlank() || workerId.length() > 255) {
            throw new InvalidEventException("The worker id '" + workerId
                    + "' cannot be stored. Give 1 to 255 characters that name this worker and no other, for example"
                    + " host:pid.");
        }
        if (max < 1) {
            throw new InvalidEventException("A poll for " + max + " events finds nothing. Ask for 1 or more.");
        }
        if (lease.isZero() || lease.isNegative()) {
            throw new InvalidEventException("A lease of " + lease + " ends at once. Use more than zero.");
        }
    }
}
