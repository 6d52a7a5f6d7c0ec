package io.eventqueue;

/**
 * Where one delivery (event x handler) stands. A claim does not change the state: it sets
 * owner and lease.
 *
 * <pre>
 * WAITING ─▶ PENDING    the handlers of a lower priority number have had their attempt
 *
 * PENDING ─▶ SUCCEEDED
 *    │  └──▶ DEAD       unrecoverable, or attempts used up
 *    ├─────▶ EXPIRED    older than the retention window
 *    ▼
 * FAILED ──▶ as PENDING, once the backoff is over
 *
 * DEAD, EXPIRED ─▶ PENDING     replayed by an operator
 *            └───▶ DISCARDED   given up by an operator
 * </pre>
 */
public enum NotificationState {

    WAITING, PENDING, FAILED, SUCCEEDED, EXPIRED, DEAD, DISCARDED;

    public boolean isTerminal() {
        return this != WAITING && this != PENDING && this != FAILED;
    }

}
