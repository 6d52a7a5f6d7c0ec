package io.eventqueue;

import java.util.Set;

/**
 * Application code that reacts to events of type {@code E}. It may be called more than
 * once for one event, also concurrently for different events: make it safe to repeat, or
 * ask for {@code idempotent = false} and {@code transactional = true} in
 * {@link EventHandler}.
 *
 * <p>
 * A normal return is success. An exception is a failure that is tried again later;
 * {@link UnrecoverableEventException} ends the delivery as DEAD at once.
 *
 * @param <E> the event class; read from the type argument unless {@link #eventType()} is
 * overridden
 */
@FunctionalInterface
public interface Handler<E> {

    void handle(EventEnvelope<E> envelope) throws Exception;

    /**
     * The durable name stored with every delivery: part of your schema, so do not derive
     * it from anything that may be renamed. The default is the simple class name, which
     * is why overriding it (or {@link EventHandler#name()}) is recommended.
     */
    default String name() {
        return "";
    }

    /**
     * Earlier names of this handler: rows queued under them are still handled, new rows
     * carry {@link #name()}.
     */
    default Set<String> aliases() {
        return Set.of();
    }

    /**
     * The event class, when it cannot be read from the type argument (lambdas, raw
     * types).
     */
    default Class<?> eventType() {
        return Void.class;
    }

}
