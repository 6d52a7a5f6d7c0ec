package io.eventqueue;

import org.jspecify.annotations.Nullable;

/**
 * The payload is larger than {@code event-queue.max-payload-size}. Nothing was written.
 */
public class PayloadTooLargeException extends InvalidEventException {

    private static final long serialVersionUID = 1L;

    public PayloadTooLargeException(String message) {
        this(message, null);
    }

    public PayloadTooLargeException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
