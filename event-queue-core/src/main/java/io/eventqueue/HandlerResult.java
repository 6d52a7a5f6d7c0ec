package io.eventqueue;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How one attempt of a handler ended. Returning nothing is success, throwing is a
 * transient error.
 */
public sealed interface HandlerResult {

    static HandlerResult success() {
        return Success.INSTANCE;
    }

    /** Try again after the handler's ordinary backoff. */
    static HandlerResult transientError(String reason) {
        return new TransientError(reason, null, null);
    }

    /**
     * Try again after {@code delay}, for example the {@code Retry-After} of a remote
     * service.
     */
    static HandlerResult transientError(String reason, Duration delay) {
        return new TransientError(reason, delay, null);
    }

    /** No retry can help: the delivery ends DEAD and can be replayed by an operator. */
    static HandlerResult unrecoverableError(String reason) {
        return new UnrecoverableError(reason, null);
    }

    record Success() implements HandlerResult {
        private static final Success INSTANCE = new Success();

    }

    record TransientError(String reason, @Nullable Duration delay, @Nullable Throwable cause) implements HandlerResult {
    }

    record UnrecoverableError(String reason, @Nullable Throwable cause) implements HandlerResult {
    }

}
