package io.eventqueue.autoconfigure.kafka;

import io.eventqueue.EventConsumer;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.autoconfigure.EventQueueAutoConfiguration;
import io.eventqueue.autoconfigure.EventQueueKafkaProperties;
import io.eventqueue.autoconfigure.EventQueueProperties;
import io.eventqueue.autoconfigure.HandlerProvider;
import io.eventqueue.kafka.KafkaIn;
import io.eventqueue.kafka.KafkaOut;
import io.eventqueue.kafka.KafkaRoute;
import io.eventqueue.kafka.KafkaSender;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;

/**
 * Events from Kafka where {@code event-queue.kafka.in.enabled}, to Kafka where
 * {@code event-queue.kafka.out.enabled}. The connection is that of {@code spring.kafka}.
 */
@AutoConfiguration(after = EventQueueAutoConfiguration.class,
        afterName = "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration")
@EnableConfigurationProperties(EventQueueProperties.class)
public final class EventQueueKafkaAutoConfiguration {

    private static final String IN = "event-queue.kafka.in.enabled";

    private static final String OUT = "event-queue.kafka.out.enabled";

    EventQueueKafkaAutoConfiguration() {
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(KafkaTemplate.class)
    static final class SenderConfiguration {

        @Bean
        @Lazy
        static KafkaSender eventQueueKafkaSender(ProducerFactory<?, ?> producers, EventQueueProperties properties) {
            return new KafkaSender(producers, properties.kafka().sendTimeout());
        }

    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(KafkaTemplate.class)
    @ConditionalOnBooleanProperty(IN)
    static final class InConfiguration {

        @Bean
        static ConcurrentMessageListenerContainer<byte[], byte[]> eventQueueKafkaContainer(
                ConsumerFactory<?, ?> consumers, KafkaSender deadLetters, EventConsumer consumer,
                EventQueueProperties properties, Environment environment) {
            EventQueueKafkaProperties.In in = properties.kafka().in();
            return new KafkaIn(consumers, deadLetters, consumer).container(in.mappings(),
                    groupId(in, consumers, environment), in.concurrency());
        }

        private static String groupId(EventQueueKafkaProperties.In in, ConsumerFactory<?, ?> consumers,
                Environment environment) {
            Object shared = consumers.getConfigurationProperties().get(ConsumerConfig.GROUP_ID_CONFIG);
            @Nullable String groupId = in.groupId() != null ? in.groupId()
                    : shared != null ? shared.toString() : environment.getProperty("spring.application.name");
            if (groupId == null || groupId.isBlank()) {
                throw new InvalidConfigurationPropertyValueException("event-queue.kafka.in.group-id", groupId,
                        "Nodes that share a group share the work: write the name of this service, or set"
                                + " spring.application.name.");
            }
            return groupId;
        }

    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(KafkaTemplate.class)
    @ConditionalOnBooleanProperty(OUT)
    static final class OutConfiguration {

        @Bean
        static HandlerProvider eventQueueKafkaHandlers(KafkaSender sender, EventQueueProperties properties,
                ConfigurableListableBeanFactory beans) {
            List<KafkaRoute> routes = new ArrayList<>(properties.kafka().out().kafkaRoutes());
            Set<String> configured = new LinkedHashSet<>();
            routes.forEach(route -> configured.addAll(route.types()));
            if (AutoConfigurationPackages.has(beans)) {
                new AnnotatedRoutes(beans.getBeanClassLoader()).in(AutoConfigurationPackages.get(beans))
                    .stream()
                    .filter(route -> route.types().stream().noneMatch(configured::contains))
                    .forEach(routes::add);
            }
            if (routes.isEmpty()) {
                throw new InvalidConfigurationPropertyValueException(OUT, true,
                        "Nothing says which events go to Kafka: add event-queue.kafka.out.routes, or @PublishToKafka"
                                + " to an event class below the application's packages.");
            }
            List<HandlerDefinition> handlers = new KafkaOut(sender).handlers(routes);
            return () -> handlers;
        }

    }

    /** Rather than doing nothing in silence. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("org.springframework.kafka.core.KafkaTemplate")
    static final class MissingConfiguration {

        MissingConfiguration(EventQueueProperties properties) {
            if (properties.kafka().in().enabled() || properties.kafka().out().enabled()) {
                throw new InvalidConfigurationPropertyValueException(properties.kafka().in().enabled() ? IN : OUT, true,
                        "Spring for Apache Kafka is not there: add the dependency"
                                + " org.springframework.boot:spring-boot-starter-kafka.");
            }
        }

    }

}
