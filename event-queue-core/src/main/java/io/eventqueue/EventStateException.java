package io.eventqueue;

import org.jspecify.annotations.Nullable;

/** What was asked for does not fit the state the event is in. Nothing was written. */
public class EventStateException extends EventQueueException {

    private static final long serialVersionUID = 1L;

    public EventStateException(String message) {
        this(message, null);
    }

    public EventStateException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
