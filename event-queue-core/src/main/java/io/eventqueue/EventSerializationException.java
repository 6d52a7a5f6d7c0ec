package io.eventqueue;

import org.jspecify.annotations.Nullable;

/**
 * The event, its headers or its action parameters cannot be turned into JSON. Nothing was
 * written.
 */
public class EventSerializationException extends InvalidEventException {

    private static final long serialVersionUID = 1L;

    public EventSerializationException(String message) {
        this(message, null);
    }

    public EventSerializationException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
