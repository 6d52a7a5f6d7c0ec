package io.eventqueue;

import org.jspecify.annotations.Nullable;

/** Root of everything this library throws on its own account. */
public class EventQueueException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public EventQueueException(String message) {
        super(message);
    }

    public EventQueueException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
