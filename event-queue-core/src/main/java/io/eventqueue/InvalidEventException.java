package io.eventqueue;

import org.jspecify.annotations.Nullable;

/**
 * The event cannot be published as it is: the message names what is wrong. Nothing was
 * written.
 */
public class InvalidEventException extends EventQueueException {

    private static final long serialVersionUID = 1L;

    public InvalidEventException(String message) {
        this(message, null);
    }

    public InvalidEventException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
