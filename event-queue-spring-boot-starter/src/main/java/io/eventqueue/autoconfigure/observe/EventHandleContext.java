package io.eventqueue.autoconfigure.observe;

import io.eventqueue.EventEnvelope;
import io.eventqueue.HandlerResult;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An attempt to handle an event; the trace is read from the event's headers. */
public final class EventHandleContext extends ReceiverContext<Map<String, String>> {

    private final EventEnvelope<?> envelope;

    private @Nullable HandlerResult result;

    EventHandleContext(EventEnvelope<?> envelope) {
        super((carrier, key) -> carrier.get(key), Kind.CONSUMER);
        this.envelope = envelope;
        setCarrier(envelope.headers());
    }

    public EventEnvelope<?> getEnvelope() {
        return envelope;
    }

    /** Null while the handler runs, and when it threw. */
    public @Nullable HandlerResult getResult() {
        return result;
    }

    void setResult(HandlerResult result) {
        this.result = result;
    }

}
