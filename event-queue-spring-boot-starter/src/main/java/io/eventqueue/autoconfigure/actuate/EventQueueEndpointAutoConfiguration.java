package io.eventqueue.autoconfigure.actuate;

import io.eventqueue.DeadLetters;
import io.eventqueue.autoconfigure.EventQueueAutoConfiguration;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.log.ProjectionJob;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The endpoint {@code eventqueue}, where Actuator is present and exposes it. */
@AutoConfiguration(after = EventQueueAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean(EventHandlingJob.class)
@ConditionalOnAvailableEndpoint(EventQueueEndpoint.class)
public final class EventQueueEndpointAutoConfiguration {

    EventQueueEndpointAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    static EventQueueEndpoint eventQueueEndpoint(EventFanoutJob fanout, EventHandlingJob handling,
            ProjectionJob projections, DeadLetters deadLetters) {
        return new EventQueueEndpoint(fanout, handling, projections, deadLetters);
    }

    @Bean
    @ConditionalOnMissingBean
    static EventQueueEndpointWebExtension eventQueueEndpointWebExtension(EventQueueEndpoint endpoint) {
        return new EventQueueEndpointWebExtension(endpoint);
    }

}
