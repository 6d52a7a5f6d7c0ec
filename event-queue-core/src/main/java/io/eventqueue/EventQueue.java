package io.eventqueue;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The transactional outbox. Publishing joins the caller's transaction: when it commits
 * the event cannot be lost, when it rolls back the event never existed. Without a
 * transaction, publishing opens its own (or refuses, if so configured).
 *
 * <p>
 * Every check (type, size, serialization) happens before anything is written.
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

}
