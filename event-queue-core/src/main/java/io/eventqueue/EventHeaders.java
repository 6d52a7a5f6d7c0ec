package io.eventqueue;

/** Names of the headers the library itself writes. */
public final class EventHeaders {

    /** Id of the event that started the chain. */
    public static final String CORRELATION_ID = "correlation-id";

    /** Id of the event whose handler published this one. */
    public static final String CAUSATION_ID = "causation-id";

    private EventHeaders() {
    }

}
