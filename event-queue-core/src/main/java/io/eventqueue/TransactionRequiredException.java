package io.eventqueue;

import org.jspecify.annotations.Nullable;

/**
 * Publishing outside a transaction, while {@code event-queue.publish.require-transaction}
 * is set.
 */
public class TransactionRequiredException extends EventQueueException {

    private static final long serialVersionUID = 1L;

    public TransactionRequiredException(String message) {
        this(message, null);
    }

    public TransactionRequiredException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

}
