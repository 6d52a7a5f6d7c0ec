package io.eventqueue.autoconfigure.observe;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.api.WaitingWorkers;
import io.eventqueue.api.WorkerApiListener;
import io.eventqueue.autoconfigure.EventQueueAutoConfiguration;
import io.eventqueue.autoconfigure.EventQueueProperties;
import io.eventqueue.autoconfigure.api.WorkerApiAutoConfiguration;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.log.ProjectionJob;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * Meters where the application has a {@link MeterRegistry}. Single meters are switched
 * off as any other: {@code management.metrics.enable.event.queue=false}.
 */
@AutoConfiguration(after = { EventQueueAutoConfiguration.class, WorkerApiAutoConfiguration.class },
        afterName = { "org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
                "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration" })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(EventHandlingJob.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
public final class EventQueueMetricsAutoConfiguration {

    EventQueueMetricsAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    static MeteringListener eventQueueMeteringListener(MeterRegistry registry) {
        return new MeteringListener(registry);
    }

    @Bean
    @ConditionalOnMissingBean
    static BlockedKeyGauges eventQueueBlockedKeyGauges(MeterRegistry registry) {
        return new BlockedKeyGauges(registry);
    }

    @Bean
    @ConditionalOnMissingBean
    static BacklogGauges eventQueueBacklogGauges(EventHandlingJob job, ProjectionJob projections,
            EventQueueProperties properties) {
        return new BacklogGauges(job, projections, properties.metrics().interval());
    }

    @Bean
    static MeterBinder eventQueueExpectedMeters(MeteringListener listener, EventHandlerRegistry handlers,
            EventHandlingJob job, ProjectionJob projections) {
        return registry -> {
            handlers.handlers().forEach(handler -> listener.expectHandler(handler.name()));
            job.databases().forEach(database -> {
                String shard = database.shard().name();
                listener.expectShard(shard);
                projections.names().forEach(projection -> listener.expectProjection(shard, projection));
            });
        };
    }

    @Bean
    @ConditionalOnMissingBean
    static WorkerApiListener eventQueueWorkerApiMeters(MeterRegistry registry) {
        return new WaitTimers(registry);
    }

    @Bean
    @ConditionalOnBean(WaitingWorkers.class)
    static MeterBinder eventQueueWaitingWorkersGauge(WaitingWorkers waiting) {
        return registry -> Gauge.builder(EventQueueMeter.API_WAITING.meterName(), waiting, WaitingWorkers::count)
            .description(EventQueueMeter.API_WAITING.description())
            .register(registry);
    }

}
