package io.eventqueue.autoconfigure.observe;

import io.micrometer.common.KeyValues;

/** {@code event.queue.publish}, by event type. */
final class StandardPublishConvention implements EventPublishObservationConvention {

    private static final int EVENT_TYPES = 100;

    private final BoundedValues eventTypes = new BoundedValues(EVENT_TYPES);

    @Override
    public String getName() {
        return EventQueueObservation.PUBLISH.getName();
    }

    @Override
    public String getContextualName(EventPublishContext context) {
        return "publish " + context.getEventType();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(EventPublishContext context) {
        return KeyValues.of(EventQueueObservation.Keys.EVENT_TYPE.withValue(eventTypes.of(context.getEventType())));
    }

}
