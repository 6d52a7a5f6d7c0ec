package io.eventqueue.autoconfigure.actuate;

import io.eventqueue.autoconfigure.EventQueueAutoConfiguration;
import io.eventqueue.autoconfigure.EventQueueProperties;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.log.ProjectionJob;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * The health indicator {@code eventQueue}; switched off as any other:
 * {@code management.health.eventqueue.enabled=false}.
 */
@AutoConfiguration(after = EventQueueAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(EventHandlingJob.class)
@ConditionalOnEnabledHealthIndicator("eventqueue")
public final class EventQueueHealthAutoConfiguration {

    EventQueueHealthAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean(name = "eventQueueHealthIndicator")
    static HealthIndicator eventQueueHealthIndicator(EventFanoutJob fanout, EventHandlingJob handling,
            ProjectionJob projections, EventQueueProperties properties) {
        return new EventQueueHealthIndicator(fanout, handling, projections, properties);
    }

}
