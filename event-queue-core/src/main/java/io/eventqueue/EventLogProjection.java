package io.eventqueue;

import java.util.Set;

/**
 * Builds a read model from the log of finalized events: every event is given to it once,
 * in the order in which events were finalized.
 *
 * <p>
 * A batch of events and the position in the log commit together. What the projection
 * writes to the same database, through {@link ProjectionContext#jdbc()} or in the same
 * transaction, is therefore written exactly once. Anything else it does may be repeated.
 * One node works on a projection at a time.
 */
public interface EventLogProjection {

    /**
     * The durable name its position is stored under; another name starts from the
     * beginning of the log.
     */
    String name();

    /**
     * Applies one event. An exception rolls the batch back; the projection stays where it
     * was and tries again, and no later event is applied before this one.
     */
    void handle(QueuedEvent event, ProjectionContext context) throws Exception;

    /** The types of events it wants; empty means all. */
    default Set<String> eventTypes() {
        return Set.of();
    }

    /**
     * Whether it wants events that a handler or worker could not complete without errors
     * (COMPLETED_WITH_ERRORS). They are facts as well, so the default is yes. Events that
     * FAILED are never given to a projection.
     */
    default boolean includesErrors() {
        return true;
    }

    /**
     * Empties the read model, in the transaction that sets the position back to the start
     * of the log.
     */
    default void reset(ProjectionContext context) throws Exception {
    }

}
