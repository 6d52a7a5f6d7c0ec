package io.eventqueue.autoconfigure.observe;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observation of an attempt and its key values. A bean of this type replaces
 * the standard one.
 */
public interface EventHandleObservationConvention extends ObservationConvention<EventHandleContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof EventHandleContext;
    }

}
