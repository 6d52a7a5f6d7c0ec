package io.eventqueue;

import org.jspecify.annotations.Nullable;

/**
 * The caller no longer owns the event: its lease ended and somebody else took over.
 * Nothing was written.
 */
public class LostClaimException extends EventQueueException {

    private static final long serialVersionUID = 1L;

    public LostClaimException(String message) {
        this(message, null);
    }

    public LostClaimException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
