package io.eventqueue.autoconfigure.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.EventConsumer;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.autoconfigure.EventQueueAutoConfiguration;
import io.eventqueue.autoconfigure.HandlerProvider;
import io.eventqueue.kafka.KafkaSender;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;

class EventQueueKafkaAutoConfigurationTests {

    private static final String IN = "event-queue.kafka.in.enabled=true";

    private static final String OUT = "event-queue.kafka.out.enabled=true";

    private static final String TOPIC = "event-queue.kafka.in.topics[0].name=orders";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
                DataSourceTransactionManagerAutoConfiguration.class, KafkaAutoConfiguration.class,
                EventQueueAutoConfiguration.class, EventQueueKafkaAutoConfiguration.class))
        .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    @Test
    void isOffByDefaultAndLeavesTheApplicationsTemplateAlone() {
        runner.run(context -> assertThat(context).hasSingleBean(EventConsumer.class)
            .hasSingleBean(KafkaTemplate.class)
            .doesNotHaveBean(ConcurrentMessageListenerContainer.class)
            .doesNotHaveBean(HandlerProvider.class)
            .satisfies(it -> assertThat(it.getBeanFactory().containsSingleton("eventQueueKafkaSender")).isFalse()));
    }

    @Test
    void worksWithoutKafkaOnTheClassPath() {
        runner.withClassLoader(new FilteredClassLoader("org.springframework.kafka", "org.apache.kafka"))
            .run(context -> assertThat(context).hasNotFailed()
                .hasSingleBean(EventConsumer.class)
                .doesNotHaveBean(KafkaSender.class));
    }

    @Test
    void saysWhatToAddWhenItIsEnabledWithoutKafka() {
        failing("spring-boot-starter-kafka",
                runner.withClassLoader(new FilteredClassLoader("org.springframework.kafka", "org.apache.kafka")), OUT);
    }

    @Test
    void refusesWhatCannotWork() {
        failing("event-queue.kafka.in.topics[0].name=orders", runner, IN);
        failing("spring.application.name", runner, IN, TOPIC);
        failing("write a JSON pointer", runner, IN, TOPIC, "event-queue.kafka.in.group-id=g",
                "event-queue.kafka.in.topics[0].id-pointer=id");
        failing("names 'orders' twice", runner, TOPIC, "event-queue.kafka.in.topics[1].name=orders");
        failing("@PublishToKafka", runner, OUT);
        failing("name the event types", runner, OUT, "event-queue.kafka.out.routes[0].topic=orders");
        failing("write the name of a topic", runner, OUT, "event-queue.kafka.out.routes[0].types=Placed");
        failing("write 1s or more", runner, "event-queue.kafka.send-timeout=10ms");
        failing("is routed to topic 'orders' twice", runner, OUT, "event-queue.kafka.out.routes[0].topic=orders",
                "event-queue.kafka.out.routes[0].types=Placed", "event-queue.kafka.out.routes[1].topic=orders",
                "event-queue.kafka.out.routes[1].types=Placed");
    }

    private static void failing(String message, ApplicationContextRunner runner, String... properties) {
        runner.withPropertyValues(properties).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure()).rootCause().hasMessageContaining(message);
        });
    }

    @Test
    void publishesWithOneOrderedHandlerPerTopicThatCanBeTuned() {
        runner
            .withPropertyValues(OUT, "event-queue.kafka.out.routes[0].topic=orders",
                    "event-queue.kafka.out.routes[0].types=Placed,Shipped",
                    "event-queue.kafka.out.routes[1].topic=orders", "event-queue.kafka.out.routes[1].types=Cancelled",
                    "event-queue.kafka.out.routes[1].aliases=tell-others",
                    "event-queue.handlers.kafka-orders.concurrency=3")
            .run(context -> assertThat(context.getBean(EventHandlerRegistry.class).find("tell-others")).get()
                .satisfies(handler -> {
                    assertThat(handler.name()).isEqualTo("kafka-orders");
                    assertThat(handler.eventTypes()).containsOnlyKeys("Placed", "Shipped", "Cancelled");
                    assertThat(handler.ordered()).isTrue();
                    assertThat(handler.concurrency()).isEqualTo(3);
                }));
    }

}
