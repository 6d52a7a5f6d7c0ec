package io.eventqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The transactional outbox. Publishing joins the caller's transaction: when it commits
 * the event cannot be lost, when it rolls back the event never existed. Without a
 * transaction, publishing opens its own (or refuses, if so configured).
 *
 * <p>
 * Every check (type, size, serialization) happens before anything is written.
 *
 * <p>
 * Events go to the handlers that subscribed to their type. Those of a type nobody
 * subscribed to can be pulled by workers instead: {@link #poll()} one, work, and
 * {@link #finalizeEvent(QueuedEvent, Collection) finalize} it.
 */
public interface EventQueue {

    /** Publishes one event; its type is the simple class name or {@link EventType}. */
    UUID publish(Object event);

    /**
     * Publishes one event with options.
     * @return the id given in the options, or a new one
     */
    UUID publish(Object event, PublishOptions options);

    /** Publishes several events, in order, in one round trip per batch. */
    List<UUID> publishAll(Collection<?> events);

    /**
     * Publishes what the aggregate has raised since the last call, and forgets it once
     * the transaction committed.
     */
    List<UUID> publishAll(AggregateRoot aggregate);

    /** The event as it stands now, live or finalized. */
    Optional<QueuedEvent> find(UUID id);

    /**
     * How far each handler got with the event, in the order of their names. Also answers
     * for a finalized event, until {@code notification-retention} is over. Empty before
     * fan-out, and for an unknown event.
     */
    List<Notification> notifications(UUID eventId);

    /**
     * Claims the next event that no handler subscribed to, for this queue's own worker
     * id. Same as {@link #poll(Set, String)} without tags.
     */
    Optional<QueuedEvent> poll();

    /**
     * Claims the next due event that no handler subscribed to, in a transaction of its
     * own. Of the due events the oldest of the type that waits longest comes first; a
     * claim whose lease has ended makes an event due again. Never waits.
     * @param tags the event has any of them; none means any event
     * @param workerId names the worker; unlike others' as long as its claim lasts
     * @return the event as it stands now: PROCESSING, with this attempt counted
     */
    Optional<QueuedEvent> poll(Set<String> tags, String workerId);

    /**
     * As {@link #poll(Set, String)}, for several events in one transaction.
     * @return at most {@code max}; empty if nothing is due
     */
    List<QueuedEvent> pollBatch(Set<String> tags, String workerId, int max);

    /** Reads the payload of an event. */
    <E> E read(QueuedEvent event, Class<E> eventClass);

    /**
     * Moves a polled event to the log: COMPLETED, or COMPLETED_WITH_ERRORS if there are
     * errors. Does nothing if the event is there already. Joins the caller's transaction.
     * @param polled as it came from the poll: its worker and attempt are the claim
     * @throws LostClaimException if the lease ended and the event is no longer this
     * claim's
     * @throws UnknownEventException if there is no such event
     */
    void finalizeEvent(QueuedEvent polled, Collection<String> errors);

    /**
     * As {@link #finalizeEvent(QueuedEvent, Collection)}, for an event this queue polled.
     * It cannot tell two claims of this queue on one event apart: prefer to pass the
     * polled event.
     */
    void finalizeEvent(UUID id, Collection<String> errors);

    /**
     * Records that the attempt failed. The event is due again after the delay; if this
     * was the last of its {@link PublishOptions#maxRetries attempts}, it is FAILED and in
     * the log. Joins the caller's transaction.
     * @return the event's state now, PENDING or FAILED
     * @throws LostClaimException as for {@link #finalizeEvent(QueuedEvent, Collection)}
     */
    EventStatus retry(QueuedEvent polled, String error, Duration delay);

    /**
     * Gives the event back unfinished, due after the delay, without counting a failure.
     * Joins the caller's transaction.
     * @throws LostClaimException as for {@link #finalizeEvent(QueuedEvent, Collection)}
     */
    void release(QueuedEvent polled, Duration delay);

    /**
     * Extends the lease of a polled event by another abandonment timeout.
     * @return when it ends now
     * @throws LostClaimException as for {@link #finalizeEvent(QueuedEvent, Collection)}
     */
    Instant heartbeat(QueuedEvent polled);

}
