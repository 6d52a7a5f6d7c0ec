package io.eventqueue;

import org.jspecify.annotations.Nullable;

/** The database behind the DataSource is none of those this library knows. */
public class UnsupportedDatabaseException extends EventQueueException {

    private static final long serialVersionUID = 1L;

    public UnsupportedDatabaseException(String message) {
        this(message, null);
    }

    public UnsupportedDatabaseException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
