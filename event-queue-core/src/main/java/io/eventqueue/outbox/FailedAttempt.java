package io.eventqueue.outbox;

import io.eventqueue.EventAttempt;

/**
 * A failure as it was recorded.
 *
 * @param attempt its {@code retryAt} is null when there is no further attempt: the event
 * is FAILED then
 * @param retryCount how many attempts of the event have failed by now
 */
public record FailedAttempt(EventAttempt attempt, int retryCount, int maxRetries) {

    public boolean retryScheduled() {
        return attempt.retryAt() != null;
    }
}
