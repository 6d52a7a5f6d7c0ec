package io.eventqueue;

import org.jspecify.annotations.Nullable;

/** A projection threw; its read model and position are as they were before the batch. */
public class ProjectionException extends EventQueueException {

    private static final long serialVersionUID = 1L;

    public ProjectionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
