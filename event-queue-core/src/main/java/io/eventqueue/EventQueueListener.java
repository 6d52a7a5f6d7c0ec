package io.eventqueue;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Told what the engine does, for metrics. Called on the engine's threads after the fact:
 * be quick and do not throw. Nothing here is part of a transaction, so after a crash a
 * call may be missing.
 */
public interface EventQueueListener {

    /** Hears nothing. */
    EventQueueListener NONE = new EventQueueListener() {
    };

    /** One listener that tells all of {@code listeners}, in that order. */
    static EventQueueListener all(Collection<? extends EventQueueListener> listeners) {
        return new CompositeListener(List.copyOf(listeners));
    }

    /**
     * The transaction that published {@code events} of {@code eventType} has committed.
     */
    default void published(String eventType, int events) {
    }

    default void fannedOut(String shard, int events, int notifications) {
    }

    /**
     * An attempt has ended.
     * @param outcome the state the notification moves to
     * @param duration how long the handler ran; zero when it was not called
     * @param lag from the moment the event was due to the start of the first attempt;
     * null on later attempts
     */
    default void handled(String handler, NotificationState outcome, Duration duration, @Nullable Duration lag) {
    }

    /**
     * {@code notifications} were ended because they were not done within the retention
     * window or because their handler was retired. One whose last attempt was made too
     * late is reported by {@link #handled} instead.
     */
    default void expired(String shard, int notifications) {
    }

    /**
     * {@code writes} outcomes were refused because another node had taken the claim over.
     */
    default void fenced(String shard, int writes) {
    }

    /** A claim was taken over from a node that let its lease end. */
    default void abandoned(String handler) {
    }

    /**
     * A worker did something with an event and it has committed. Repeating a report is
     * not doing it again.
     * @param action PICKED, STARTED, COMPLETED, FAILED, or RESET for handing it back
     * @param tags those of the event
     */
    default void worked(String shard, AttemptAction action, Collection<String> tags) {
    }

    /** Workers let the leases of events end, which counts as a failed attempt. */
    default void abandonedByWorkers(String shard, int events) {
    }

    /**
     * How it stands with an ordered handler, told every few seconds by every node that
     * has it: {@code keys} wait because their next event fails, the longest since
     * {@code oldest}. Zero when none does.
     */
    default void keysBlocked(String shard, String handler, int keys, Duration oldest) {
    }

    /**
     * A projection has read on.
     * @param events how many it handled; 0 when it only noticed that nothing new is in
     * the log
     * @param lag how many positions of the log it has not read yet
     */
    default void projected(String shard, String projection, int events, long lag) {
    }

    /**
     * A batch of a projection failed, mostly because the projection threw. It stays where
     * it was and tries again.
     */
    default void projectionFailed(String shard, String projection, Exception error) {
    }

    /**
     * Retention deleted {@code positions} of the log before a projection had read them:
     * its read model is incomplete.
     */
    default void projectionMissed(String shard, String projection, long positions) {
    }

    /** Events were moved to the log. */
    default void finalized(String shard, int events) {
    }

    /**
     * A loop's round failed, for example because the database could not be reached; it is
     * tried again.
     */
    default void roundFailed(String loop, Exception error) {
    }

}
