package io.eventqueue;

import org.jspecify.annotations.Nullable;

/** A handler cannot be registered: the message says what to change. */
public class InvalidHandlerException extends EventQueueException {

    private static final long serialVersionUID = 1L;

    public InvalidHandlerException(String message) {
        this(message, null);
    }

    public InvalidHandlerException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
