package io.eventqueue.autoconfigure.observe;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** The observations, each with its key names. */
public enum EventQueueObservation implements ObservationDocumentation {

    /**
     * An event is made, before its row is written. It carries the trace of the publisher,
     * or starts one, and that trace is stored with the event.
     */
    PUBLISH("event.queue.publish", StandardPublishConvention.class) {
        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return new KeyName[] { Keys.EVENT_TYPE };
        }
    },

    /**
     * One attempt of one handler, in the trace stored with the event: the first attempt,
     * every retry, and those after a restart.
     */
    HANDLE("event.queue.handle", StandardHandleConvention.class) {
        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return Keys.values();
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return Details.values();
        }
    };

    private final String name;

    private final Class<? extends ObservationConvention<? extends Observation.Context>> convention;

    EventQueueObservation(String name,
            Class<? extends ObservationConvention<? extends Observation.Context>> convention) {
        this.name = name;
        this.convention = convention;
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
        return convention;
    }

    /** Key names with few values: tags of the timers made from observations. */
    public enum Keys implements KeyName {

        /** Name of the event type; {@code other} after the first 100 when publishing. */
        EVENT_TYPE("event.type"),
        /** Name of the handler. */
        HANDLER("handler"),
        /**
         * {@code success}, {@code transient_error}, {@code unrecoverable_error} or
         * {@code exception}.
         */
        OUTCOME("outcome");

        private final String key;

        Keys(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }

    }

    /** Key names with many values: on spans only. */
    public enum Details implements KeyName {

        /** Id of the event. */
        EVENT_ID("event.id"),
        /** Id of the delivery, the same in every attempt. */
        NOTIFICATION_ID("notification.id"),
        /** 1 for the first attempt. */
        ATTEMPT("attempt");

        private final String key;

        Details(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }

    }

}
