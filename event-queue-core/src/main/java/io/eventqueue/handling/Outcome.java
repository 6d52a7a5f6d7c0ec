package io.eventqueue.handling;

import io.eventqueue.NotificationState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How an attempt ended.
 *
 * @param state SUCCEEDED, FAILED, EXPIRED or DEAD; null when the claim is handed back
 * undecided
 * @param retryIn the wait before the next attempt of a FAILED one
 * @param took how long the handler ran
 * @param written already in the database, together with what the handler wrote
 */
record Outcome(Claim claim, @Nullable NotificationState state, Duration retryIn, @Nullable Failure failure,
        Duration took, boolean written) {

    static Outcome succeeded(Claim claim, Duration took, boolean written) {
        return new Outcome(claim, NotificationState.SUCCEEDED, Duration.ZERO, null, took, written);
    }

    static Outcome failed(Claim claim, NotificationState state, Duration retryIn, Failure failure, Duration took) {
        return new Outcome(claim, state, retryIn, failure, took, false);
    }

    /**
     * The same outcome for the claim as it stands now: this node may have renewed it
     * under a new attempt number.
     */
    Outcome forClaim(Claim current) {
        return new Outcome(current, state, retryIn, failure, took, written);
    }

    static Outcome handedBack(Claim claim) {
        return new Outcome(claim, null, Duration.ZERO, null, Duration.ZERO, false);
    }
}
