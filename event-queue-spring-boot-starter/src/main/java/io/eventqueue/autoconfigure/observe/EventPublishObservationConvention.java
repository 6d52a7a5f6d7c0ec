package io.eventqueue.autoconfigure.observe;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observation of publishing and its key values. A bean of this type replaces
 * the standard one.
 */
public interface EventPublishObservationConvention extends ObservationConvention<EventPublishContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof EventPublishContext;
    }

}
