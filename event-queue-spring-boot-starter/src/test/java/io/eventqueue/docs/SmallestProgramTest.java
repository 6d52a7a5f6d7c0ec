package io.eventqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventHandler;
import io.eventqueue.EventQueue;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The program the README begins with, run with the configuration it shows. */
@ExtendWith(OutputCaptureExtension.class)
class SmallestProgramTest {

    @Test
    void sendsTheMailOfAnOrderThatWasCommitted(CapturedOutput output) {
        Map<String, Object> database = Map.of("spring.datasource.url",
                "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
            .properties(database)
            .initializers(ReadmeYaml::load)
            .run()) {
            context.getBean(JdbcClient.class)
                .sql("CREATE TABLE orders (id BIGINT PRIMARY KEY, customer VARCHAR(200))")
                .update();
            context.getBean(Orders.class).place(1, "Ada");
            await().untilAsserted(() -> assertThat(output).contains("Thank you, Ada, for order 1"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({ Orders.class, ConfirmationMail.class })
    static class Application {

    }

}

record OrderPlaced(long orderId, String customer) {
}

@Service
class Orders {

    private final JdbcClient jdbc;

    private final EventQueue events;

    Orders(JdbcClient jdbc, EventQueue events) {
        this.jdbc = jdbc;
        this.events = events;
    }

    @Transactional
    void place(long id, String customer) {
        jdbc.sql("INSERT INTO orders (id, customer) VALUES (?, ?)").params(id, customer).update();
        events.publish(new OrderPlaced(id, customer));
    }

}

@Component
class ConfirmationMail {

    @EventHandler(name = "confirmation-mail")
    void send(OrderPlaced order) {
        System.out.println("Thank you, " + order.customer() + ", for order " + order.orderId());
    }

}
