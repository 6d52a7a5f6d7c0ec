package io.eventqueue;

import java.util.List;

/**
 * The way in for events that come from elsewhere: Kafka, RabbitMQ, a webhook. It knows
 * none of them.
 *
 * <ol>
 * <li>Whoever receives messages turns them into {@link IncomingEvent}s and hands them
 * over, many at a time where it can;
 * <li>they are written in one transaction, without those whose id is known already, as
 * far back as the log reaches;
 * <li>when the call returns, they are committed: now, and not before, acknowledge them to
 * the sender.
 * </ol>
 *
 * From there on they are ordinary events. A message that is delivered again is a no-op,
 * so at-least-once delivery by the sender is enough.
 */
public interface EventConsumer {

    /**
     * Writes events in the given order, in a transaction of its own.
     * @return how many of them were new
     * @throws InvalidIncomingEventException if one cannot be stored, which trying again
     * does not change; it says which, and nothing was written
     */
    int consume(List<IncomingEvent> events);

    /**
     * Writes one event in a transaction of its own.
     * @return false if its id was known already, and nothing was written
     */
    default boolean consume(IncomingEvent event) {
        return consume(List.of(event)) == 1;
    }

}
