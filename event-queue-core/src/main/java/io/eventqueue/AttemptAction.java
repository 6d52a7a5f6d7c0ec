package io.eventqueue;

/** What {@link EventAttempt} tells of. */
public enum AttemptAction {

    /** A worker took the event. */
    PICKED,
    /** A worker began to work on it. */
    STARTED,
    /** A worker was done with it. */
    COMPLETED,
    /** An attempt failed, or a worker let its lease end. */
    FAILED,
    /**
     * The event was made available again: by an operator, or by a worker handing it back.
     */
    RESET,
    /** An operator had a delivery repeated. */
    REPLAYED,
    /** An operator gave a delivery up. */
    DISCARDED

}
