package io.eventqueue;

import org.jspecify.annotations.Nullable;

/** Thrown by a handler to say that no retry can help: the delivery ends DEAD at once. */
public class UnrecoverableEventException extends EventQueueException {

    private static final long serialVersionUID = 1L;

    public UnrecoverableEventException(String message) {
        this(message, null);
    }

    public UnrecoverableEventException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
