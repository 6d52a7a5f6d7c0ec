package io.eventqueue.handling;

import io.eventqueue.EventEnvelope;
import org.jspecify.annotations.Nullable;

/**
 * The delivery the current thread is handling, so that what it publishes can name its
 * cause.
 */
public final class CurrentDelivery {

    private static final ThreadLocal<EventEnvelope<?>> CURRENT = new ThreadLocal<>();

    private CurrentDelivery() {
    }

    public static @Nullable EventEnvelope<?> get() {
        return CURRENT.get();
    }

    static void set(EventEnvelope<?> envelope) {
        CURRENT.set(envelope);
    }

    static void clear() {
        CURRENT.remove();
    }

}
