package io.eventqueue.autoconfigure.observe;

import io.eventqueue.EventStatus;
import io.eventqueue.NotificationState;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.jdbc.Backlog;
import io.eventqueue.jdbc.Backlog.Depth;
import io.eventqueue.jdbc.Database;
import io.eventqueue.log.ProjectionJob;
import io.eventqueue.log.ProjectionStatus;
import io.eventqueue.loop.Loop;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Depth, age and the lag of projections as gauges. The database is asked once per
 * interval and shard, however often the gauges are read; between two answers they show
 * the last one, and nothing (NaN) once the database has not answered for three intervals:
 * an old number would look like a healthy queue.
 */
final class BacklogGauges implements MeterBinder, SmartLifecycle {

    private static final int TRUSTED_INTERVALS = 3;

    private record Sample(Depth depth, Map<String, Long> lags, long nanos) {
    }

    private final EventHandlingJob job;

    private final ProjectionJob projections;

    private final Duration interval;

    private final Map<Database, Sample> samples = new ConcurrentHashMap<>();

    private final List<Loop> loops = new ArrayList<>();

    private volatile boolean running;

    BacklogGauges(EventHandlingJob job, ProjectionJob projections, Duration interval) {
        this.job = job;
        this.projections = projections;
        this.interval = interval;
        for (Database database : job.databases()) {
            loops.add(new Loop("event-queue-metrics-" + database.shard().name(), interval, () -> sample(database),
                    error -> {
                    }));
        }
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder(EventQueueMeter.IN_FLIGHT.meterName(), job, EventHandlingJob::inFlight)
            .description(EventQueueMeter.IN_FLIGHT.description())
            .register(registry);
        for (Database database : job.databases()) {
            for (EventStatus status : List.of(EventStatus.PENDING, EventStatus.PROCESSING)) {
                depth(registry, database, "event", status, depth -> depth.events().getOrDefault(status, 0));
            }
            for (NotificationState state : List.of(NotificationState.WAITING, NotificationState.PENDING,
                    NotificationState.FAILED, NotificationState.DEAD, NotificationState.EXPIRED)) {
                depth(registry, database, "notification", state, depth -> depth.notifications().getOrDefault(state, 0));
            }
            TimeGauge
                .builder(EventQueueMeter.OLDEST_PENDING_AGE.meterName(), this, TimeUnit.MILLISECONDS,
                        gauges -> gauges.read(database, sample -> sample.depth().oldestPendingAge().toMillis()))
                .description(EventQueueMeter.OLDEST_PENDING_AGE.description())
                .tag("shard", database.shard().name())
                .register(registry);
            projections.names().forEach(projection -> lag(registry, database, projection));
        }
    }

    private void lag(MeterRegistry registry, Database database, String projection) {
        Gauge
            .builder(EventQueueMeter.PROJECTION_LAG.meterName(), this,
                    gauges -> gauges.read(database, sample -> sample.lags().getOrDefault(projection, 0L)))
            .description(EventQueueMeter.PROJECTION_LAG.description())
            .tags("shard", database.shard().name(), "projection", projection)
            .register(registry);
    }

    private void depth(MeterRegistry registry, Database database, String of, Enum<?> state,
            ToDoubleFunction<Depth> value) {
        Gauge
            .builder(EventQueueMeter.DEPTH.meterName(), this,
                    gauges -> gauges.read(database, sample -> value.applyAsDouble(sample.depth())))
            .description(EventQueueMeter.DEPTH.description())
            .tags("shard", database.shard().name(), "of", of, "state", state.name().toLowerCase(Locale.ROOT))
            .register(registry);
    }

    private double read(Database database, ToDoubleFunction<Sample> value) {
        @Nullable Sample sample = samples.get(database);
        if (sample == null || System.nanoTime() - sample.nanos() > TRUSTED_INTERVALS * interval.toNanos()) {
            return Double.NaN;
        }
        return value.applyAsDouble(sample);
    }

    private int sample(Database database) {
        Map<String, Long> lags = projections.status(database)
            .stream()
            .collect(Collectors.toMap(ProjectionStatus::projection, ProjectionStatus::lag));
        samples.put(database, new Sample(new Backlog(database).depth(), lags, System.nanoTime()));
        return 0;
    }

    @Override
    public void start() {
        running = true;
        loops.forEach(Loop::start);
    }

    @Override
    public void stop() {
        loops.forEach(Loop::requestStop);
        loops.forEach(loop -> loop.join(Duration.ofSeconds(5)));
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** With the loops it watches: started last, stopped first. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }

}
