package io.eventqueue.autoconfigure.observe;

import io.eventqueue.AttemptAction;
import io.eventqueue.EventQueueListener;
import io.eventqueue.NotificationState;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Counts what the engine of this node reports. Summed over all nodes, the counters are
 * those of the application.
 */
final class MeteringListener implements EventQueueListener {

    private static final int EVENT_TYPES = 100;

    private static final int WORKER_TAGS = 100;

    private final MeterRegistry registry;

    private final BoundedValues eventTypes = new BoundedValues(EVENT_TYPES);

    private final BoundedValues workerTags = new BoundedValues(WORKER_TAGS);

    MeteringListener(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void published(String eventType, int events) {
        counter(EventQueueMeter.PUBLISHED, "event.type", eventTypes.of(eventType)).increment(events);
    }

    @Override
    public void fannedOut(String shard, int events, int notifications) {
        counter(EventQueueMeter.FANNED_OUT, "shard", shard).increment(notifications);
    }

    @Override
    public void handled(String handler, NotificationState outcome, Duration duration, @Nullable Duration lag) {
        handled(handler, outcome).increment();
        timer(EventQueueMeter.HANDLER_DURATION, handler).record(duration);
        if (lag != null) {
            // Two clocks are compared, so it can be a little below zero.
            timer(EventQueueMeter.DELIVERY_LAG, handler).record(lag.isNegative() ? Duration.ZERO : lag);
        }
        if (outcome == NotificationState.DEAD) {
            counter(EventQueueMeter.DEAD, "handler", handler).increment();
        }
    }

    @Override
    public void expired(String shard, int notifications) {
        counter(EventQueueMeter.EXPIRED, "shard", shard).increment(notifications);
    }

    @Override
    public void fenced(String shard, int writes) {
        counter(EventQueueMeter.FENCED_WRITES, "shard", shard).increment(writes);
    }

    @Override
    public void abandoned(String handler) {
        counter(EventQueueMeter.ABANDONED, "handler", handler).increment();
    }

    /** Counts once for each tag, but once only for all that are {@code other}. */
    @Override
    public void worked(String shard, AttemptAction action, Collection<String> tags) {
        String name = action.name().toLowerCase(Locale.ROOT);
        tags.stream()
            .map(workerTags::of)
            .distinct()
            .forEach(tag -> counter(EventQueueMeter.WORKED, "tag", tag, "action", name).increment());
    }

    @Override
    public void finalized(String shard, int events) {
        counter(EventQueueMeter.FINALIZED, "shard", shard).increment(events);
    }

    @Override
    public void projected(String shard, String projection, int events, long lag) {
        projection(EventQueueMeter.PROJECTED, shard, projection).increment(events);
    }

    @Override
    public void projectionFailed(String shard, String projection, Exception error) {
        projection(EventQueueMeter.PROJECTION_FAILURES, shard, projection).increment();
    }

    @Override
    public void projectionMissed(String shard, String projection, long positions) {
        projection(EventQueueMeter.PROJECTION_MISSED, shard, projection).increment(positions);
    }

    @Override
    public void roundFailed(String loop, Exception error) {
        counter(EventQueueMeter.ROUND_FAILURES, "loop", loop).increment();
    }

    /**
     * Creates what belongs to a handler before anything happens: a counter that appears
     * with its first increment hides it from rates.
     */
    void expectHandler(String handler) {
        handled(handler, NotificationState.SUCCEEDED);
        handled(handler, NotificationState.FAILED);
        timer(EventQueueMeter.HANDLER_DURATION, handler);
        timer(EventQueueMeter.DELIVERY_LAG, handler);
        counter(EventQueueMeter.DEAD, "handler", handler);
        counter(EventQueueMeter.ABANDONED, "handler", handler);
    }

    /** The same for what belongs to a shard. */
    void expectShard(String shard) {
        counter(EventQueueMeter.FANNED_OUT, "shard", shard);
        counter(EventQueueMeter.EXPIRED, "shard", shard);
        counter(EventQueueMeter.FENCED_WRITES, "shard", shard);
        counter(EventQueueMeter.FINALIZED, "shard", shard);
    }

    /** The same for what belongs to a projection on a shard. */
    void expectProjection(String shard, String projection) {
        projection(EventQueueMeter.PROJECTED, shard, projection);
        projection(EventQueueMeter.PROJECTION_FAILURES, shard, projection);
        projection(EventQueueMeter.PROJECTION_MISSED, shard, projection);
    }

    private Counter projection(EventQueueMeter meter, String shard, String projection) {
        return counter(meter, "shard", shard, "projection", projection);
    }

    private Counter handled(String handler, NotificationState outcome) {
        return counter(EventQueueMeter.HANDLED, "handler", handler, "outcome", outcome.name().toLowerCase(Locale.ROOT));
    }

    private Counter counter(EventQueueMeter meter, String... tags) {
        return Counter.builder(meter.meterName()).description(meter.description()).tags(tags).register(registry);
    }

    private Timer timer(EventQueueMeter meter, String handler) {
        return Timer.builder(meter.meterName())
            .description(meter.description())
            .tag("handler", handler)
            .register(registry);
    }

}
