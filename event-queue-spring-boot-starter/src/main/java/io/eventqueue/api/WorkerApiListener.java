package io.eventqueue.api;

import java.time.Duration;
import java.util.Set;

/** Told about long polls, for metrics. Be quick and do not throw. */
public interface WorkerApiListener {

    /** Hears nothing. */
    WorkerApiListener NONE = (tags, picked, waited) -> {
    };

    /**
     * A worker waited.
     * @param tags what it had asked for
     * @param picked whether it got an event in the end
     */
    void waited(Set<String> tags, boolean picked, Duration waited);

}
