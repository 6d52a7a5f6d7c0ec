package io.eventqueue.autoconfigure.observe;

import io.eventqueue.EventQueue;
import io.eventqueue.autoconfigure.EventQueueAutoConfiguration;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Observations where the application has an {@link ObservationRegistry}; spans where that
 * has a tracer. They are switched off as any other:
 * {@code management.observations.enable.event.queue=false}.
 */
@AutoConfiguration(after = EventQueueAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(EventQueue.class)
@ConditionalOnSingleCandidate(ObservationRegistry.class)
public final class EventQueueObservationAutoConfiguration {

    EventQueueObservationAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    static ObservingInterceptor eventQueueObservingInterceptor(ObservationRegistry registry,
            ObjectProvider<EventPublishObservationConvention> publishConvention,
            ObjectProvider<EventHandleObservationConvention> handleConvention) {
        return new ObservingInterceptor(registry, publishConvention.getIfUnique(), handleConvention.getIfUnique());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Tracer.class)
    static final class TracingConfiguration {

        @Bean
        static TraceIds eventQueueTraceIds(ObjectProvider<Tracer> tracer) {
            return new TraceIds(tracer);
        }

    }

}
