package io.eventqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.EventConsumer;
import io.eventqueue.EventQueue;
import io.eventqueue.IncomingEvent;
import io.eventqueue.kafka.PublishToKafka;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;

/** What docs/kafka.md shows in Java. */
@SpringBootTest(properties = { "spring.datasource.url=jdbc:h2:mem:kafka;DB_CLOSE_DELAY=-1" })
class KafkaPageTest {

    @PublishToKafka(topic = "orders", key = "/orderId", headers = "source=shop")
    record OrderPlaced(String orderId, int amount) {
    }

    @Component
    static class OrderMessages {

        private final EventConsumer consumer;

        OrderMessages(EventConsumer consumer) {
            this.consumer = consumer;
        }

        /** Called by the broker's client; a return acknowledges the message. */
        void received(String messageId, String json, String customer) {
            consumer.consume(IncomingEvent.json(IncomingEvent.idOf("orders", messageId), "OrderPlaced", json)
                .with(options -> options.key(customer).header("source", "shop")));
        }

    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OrderMessages.class)
    static class Application {

    }

    @Test
    void storesAMessageThatIsDeliveredTwiceOnce(@Autowired OrderMessages messages, @Autowired EventQueue queue) {
        messages.received("A-1", "{\"orderId\":\"1\",\"amount\":12}", "Ada");
        messages.received("A-1", "{\"orderId\":\"1\",\"amount\":99}", "Bob");

        assertThat(queue.find(IncomingEvent.idOf("orders", "A-1"))).get().satisfies(event -> {
            assertThat(event.payload()).contains("12");
            assertThat(event.key()).isEqualTo("Ada");
            assertThat(event.headers()).containsEntry("source", "shop");
        });
    }

}
