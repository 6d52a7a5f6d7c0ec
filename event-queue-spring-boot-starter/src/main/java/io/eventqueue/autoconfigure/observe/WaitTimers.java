package io.eventqueue.autoconfigure.observe;

import io.eventqueue.api.WorkerApiListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Set;

/**
 * Times the long polls of workers, once for each tag they asked for, and once for all
 * that are {@code other}: callers choose tags freely.
 */
final class WaitTimers implements WorkerApiListener {

    private static final int TAGS = 100;

    private final MeterRegistry registry;

    private final BoundedValues known = new BoundedValues(TAGS);

    WaitTimers(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void waited(Set<String> tags, boolean picked, Duration waited) {
        tags.stream()
            .map(known::of)
            .distinct()
            .forEach(tag -> Timer.builder(EventQueueMeter.API_WAIT.meterName())
                .description(EventQueueMeter.API_WAIT.description())
                .tag("tag", tag)
                .tag("outcome", picked ? "event" : "nothing")
                .register(registry)
                .record(waited));
    }

}
