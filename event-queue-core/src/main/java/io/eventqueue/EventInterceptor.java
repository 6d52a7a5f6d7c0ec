package io.eventqueue;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Wraps publishing and handling, for example to carry a trace from one to the other. Of
 * several, the first is the outermost.
 */
public interface EventInterceptor {

    /** Does nothing. */
    EventInterceptor NONE = new EventInterceptor() {
    };

    /** Goes on with the next interceptor or the handler. */
    @FunctionalInterface
    interface Chain {

        HandlerResult proceed() throws Exception;

    }

    /** Called before an event is written; may add headers. */
    default void publishing(Object event, String eventType, Map<String, String> headers) {
    }

    /** Called around every attempt, on the handler's thread. */
    default HandlerResult handling(EventEnvelope<?> envelope, Chain chain) throws Exception {
        return chain.proceed();
    }

    /**
     * Called inside of all {@link #handling}, and when a worker reports: the id of the
     * trace that the current thread works in, to be kept with a failure or a report. Null
     * if there is none.
     */
    default @Nullable String currentTraceId() {
        return null;
    }

}
