package io.eventqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.test.context.EmbeddedKafka;
import org.springframework.kafka.test.utils.KafkaTestUtils;
import org.springframework.test.context.ActiveProfiles;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = { "spring.datasource.url=jdbc:h2:mem:sample-kafka;DB_CLOSE_DELAY=-1", "shop.remote-call=1ms",
                "spring.kafka.consumer.group-id=test", "spring.kafka.consumer.auto-offset-reset=earliest" })
@ActiveProfiles("kafka")
@EmbeddedKafka(topics = "orders", partitions = 1)
class KafkaProfileTests {

    @Test
    void anOrderAlsoGoesToTheTopic(@LocalServerPort int port, @Autowired ConsumerFactory<String, String> consumers) {
        new ShopClient(port).post("{\"customer\": \"Ada\", \"item\": \"tea\", \"quantity\": 2}");

        try (Consumer<String, String> consumer = consumers.createConsumer()) {
            consumer.subscribe(List.of("orders"));
            ConsumerRecord<String, String> order = KafkaTestUtils.getSingleRecord(consumer, "orders",
                    Duration.ofSeconds(60));
            assertThat(order.key()).isEqualTo("1");
            assertThat(order.value()).contains("\"customer\":\"Ada\"");
            assertThat(new String(order.headers().lastHeader("event-type").value(), StandardCharsets.UTF_8))
                .isEqualTo("OrderPlaced");
        }
    }

}
