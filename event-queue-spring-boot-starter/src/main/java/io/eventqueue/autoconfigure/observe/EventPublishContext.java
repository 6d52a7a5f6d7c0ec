package io.eventqueue.autoconfigure.observe;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import java.util.Map;

/** An event that is being published; a trace is written into its headers. */
public final class EventPublishContext extends SenderContext<Map<String, String>> {

    private final Object event;

    private final String eventType;

    EventPublishContext(Object event, String eventType, Map<String, String> headers) {
        super((carrier, key, value) -> {
            if (carrier != null) {
                carrier.put(key, value);
            }
        }, Kind.PRODUCER);
        this.event = event;
        this.eventType = eventType;
        setCarrier(headers);
    }

    public Object getEvent() {
        return event;
    }

    public String getEventType() {
        return eventType;
    }

}
