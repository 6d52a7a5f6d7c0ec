package io.eventqueue.autoconfigure.observe;

import io.eventqueue.EventQueueListener;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * How many keys of an ordered handler wait for an event that fails, and how long the
 * oldest has, as the engine last told. Nothing (NaN) once it has not told for a while: an
 * old zero would look like a healthy handler.
 */
final class BlockedKeyGauges implements EventQueueListener {

    /** The engine tells every ten seconds. */
    private static final Duration TRUSTED = Duration.ofMinutes(1);

    private record Lane(String shard, String handler) {
    }

    private record Told(int keys, Duration oldest, long nanos) {
    }

    private final MeterRegistry registry;

    private final Map<Lane, Told> told = new ConcurrentHashMap<>();

    BlockedKeyGauges(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void keysBlocked(String shard, String handler, int keys, Duration oldest) {
        Lane lane = new Lane(shard, handler);
        if (told.put(lane, new Told(keys, oldest, System.nanoTime())) == null) {
            register(lane);
        }
    }

    private void register(Lane lane) {
        Tags tags = Tags.of("shard", lane.shard(), "handler", lane.handler());
        Gauge.builder(EventQueueMeter.KEYS_BLOCKED.meterName(), this, gauges -> gauges.read(lane, Told::keys))
            .description(EventQueueMeter.KEYS_BLOCKED.description())
            .tags(tags)
            .register(registry);
        TimeGauge
            .builder(EventQueueMeter.OLDEST_BLOCKED_AGE.meterName(), this, TimeUnit.MILLISECONDS,
                    gauges -> gauges.read(lane, last -> last.oldest().toMillis()))
            .description(EventQueueMeter.OLDEST_BLOCKED_AGE.description())
            .tags(tags)
            .register(registry);
    }

    private double read(Lane lane, ToDoubleFunction<Told> value) {
        @Nullable Told last = told.get(lane);
        return last == null || System.nanoTime() - last.nanos() > TRUSTED.toNanos() ? Double.NaN
                : value.applyAsDouble(last);
    }

}
