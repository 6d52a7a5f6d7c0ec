package io.eventqueue.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventHandler;
import io.eventqueue.EventQueue;
import io.eventqueue.fanout.EventFanoutJob;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** From handlers in the publishing application to handlers in a service of their own. */
class MoveToKafkaTests {

    private final TestBroker broker = TestBroker.shared();

    private final String topic = "move-" + UUID.randomUUID();

    private final String shopDatabase = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    @BeforeEach
    void createTopic() throws Exception {
        broker.createTopic(topic, 3);
    }

    @Test
    void movesByConfigurationWithTheSameHandlerAndLosesNothing() {
        KafkaContexts.withDatabase(shopDatabase, broker, "event-queue.handling.enabled=true")
            .withBean(Invoices.class)
            .run(monolith -> {
                monolith.getBean(EventQueue.class).publish(new OrderPlaced(1));
                awaitInvoices(monolith.getBean(Invoices.class), 1);
            });
        KafkaContexts.withDatabase(shopDatabase, broker).withBean(Invoices.class).run(stoppedInTheMiddle -> {
            stoppedInTheMiddle.getBean(EventQueue.class).publish(new OrderPlaced(2));
            stoppedInTheMiddle.getBean(EventFanoutJob.class).drainOneRound();
            stoppedInTheMiddle.getBean(EventQueue.class).publish(new OrderPlaced(3));
        });

        KafkaContexts
            .withH2(broker, "event-queue.handling.enabled=true", "event-queue.kafka.in.enabled=true",
                    "event-queue.kafka.in.group-id=" + topic, "event-queue.kafka.in.topics[0].name=" + topic)
            .withBean(Invoices.class)
            .run(billing -> KafkaContexts
                .withDatabase(shopDatabase, broker, "event-queue.handling.enabled=true",
                        "event-queue.kafka.out.enabled=true", "event-queue.kafka.out.routes[0].types=OrderPlaced",
                        "event-queue.kafka.out.routes[0].topic=" + topic,
                        "event-queue.kafka.out.routes[0].aliases=send-invoice")
                .run(shop -> {
                    shop.getBean(EventQueue.class).publish(new OrderPlaced(4));

                    awaitInvoices(billing.getBean(Invoices.class), 2, 3, 4);
                }));
    }

    private static void awaitInvoices(Invoices invoices, Integer... orders) {
        await().untilAsserted(() -> assertThat(invoices.sent).containsExactlyInAnyOrder(orders));
    }

    record OrderPlaced(int number) {
    }

    static class Invoices {

        final List<Integer> sent = new CopyOnWriteArrayList<>();

        @EventHandler(name = "send-invoice")
        void send(OrderPlaced event) {
            sent.add(event.number());
        }

    }

}
