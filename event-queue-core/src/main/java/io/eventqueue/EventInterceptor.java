package io.eventqueue;

import java.util.Map;

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

}
