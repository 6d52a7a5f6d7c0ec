package io.eventqueue;

import org.jspecify.annotations.Nullable;

/** No event with that id exists, neither live nor in the log. */
public class UnknownEventException extends EventQueueException {

    private static final long serialVersionUID = 1L;

    public UnknownEventException(String message) {
        this(message, null);
    }

    public UnknownEventException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
