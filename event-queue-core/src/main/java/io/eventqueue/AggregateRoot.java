package io.eventqueue;

import java.util.ArrayList;
import java.util.List;

/**
 * Base of aggregates that collect events while they change;
 * {@link EventQueue#publishAll(AggregateRoot)} publishes them.
 */
public abstract class AggregateRoot {

    private final transient List<Object> raisedEvents = new ArrayList<>();

    /** Remembers an event until the aggregate is published. */
    protected void raiseEvent(Object event) {
        raisedEvents.add(event);
    }

    /** What was raised and not yet published. */
    public List<Object> raisedEvents() {
        return List.copyOf(raisedEvents);
    }

    /** Called by the queue once the events are part of the committed transaction. */
    public void clearRaisedEvents() {
        raisedEvents.clear();
    }

}
