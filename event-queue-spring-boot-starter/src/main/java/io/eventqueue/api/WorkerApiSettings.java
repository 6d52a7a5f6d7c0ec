package io.eventqueue.api;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the worker API behaves.
 *
 * @param basePath where it is, below the context path
 * @param token what callers send as bearer token; null if somebody else looks after
 * access
 * @param lease how long a picked event belongs to its worker without a heartbeat
 * @param retryDelay from a reported failure to the next attempt
 * @param maxWait longest wait of a long poll
 * @param maxWaiting waiting workers at a time; further ones are answered at once
 * @param pollDelay how often to look for waiting workers when nothing wakes them
 * @param maxBodyBytes largest request body
 */
public record WorkerApiSettings(String basePath, @Nullable String token, Duration lease, Duration retryDelay,
        Duration maxWait, int maxWaiting, Duration pollDelay, int maxBodyBytes) {

    /** Leaves the token out: beans are printed. */
    @Override
    public String toString() {
        return "WorkerApiSettings[basePath=" + basePath + "]";
    }

}
