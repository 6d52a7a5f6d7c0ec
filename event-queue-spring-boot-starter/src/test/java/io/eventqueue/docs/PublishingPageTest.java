package io.eventqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.eventqueue.ActionExecutor;
import io.eventqueue.AggregateRoot;
import io.eventqueue.DurableEvent;
import io.eventqueue.EventHandler;
import io.eventqueue.EventQueue;
import io.eventqueue.EventType;
import io.eventqueue.Notification;
import io.eventqueue.NotificationState;
import io.eventqueue.PublishOptions;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What docs/publishing.md and docs/testing.md show, run. It is itself the test that the
 * latter describes: no loop runs, the test drains.
 */
@SpringBootTest(properties = "spring.datasource.url=jdbc:h2:mem:publishing;DB_CLOSE_DELAY=-1")
class PublishingPageTest {

    @EventType("order-shipped")
    record OrderShipped(String orderId, int parcels) {
    }

    record OrderCancelled(String orderId) {
    }

    @DurableEvent
    record OrderReturned(String orderId) {
    }

    static class Order extends AggregateRoot {

        private final String id;

        Order(String id) {
            this.id = id;
        }

        void ship(int parcels) {
            raiseEvent(new OrderShipped(id, parcels));
        }

    }

    static class Shipping {

        final List<OrderShipped> shipped = new CopyOnWriteArrayList<>();

        final List<OrderReturned> returned = new CopyOnWriteArrayList<>();

        @EventHandler(name = "shipping")
        void handle(OrderShipped event) {
            shipped.add(event);
        }

        @EventHandler(name = "returns")
        void handle(OrderReturned event) {
            returned.add(event);
        }

    }

    @Autowired
    private EventQueue events;

    @Autowired
    private ActionExecutor actions;

    @Autowired
    private ApplicationEventPublisher publisher;

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private EventFanoutJob fanout;

    @Autowired
    private EventHandlingJob handling;

    @Autowired
    private Shipping shipping;

    @BeforeEach
    void forget() {
        drain();
        shipping.shipped.clear();
    }

    void drain() {
        while (fanout.drainOneRound() + handling.drainOneRound() > 0) {
            // until nothing is due
        }
    }

    @Test
    void takesOptions() {
        events.publish(new OrderShipped("A-1", 2),
                PublishOptions.none()
                    .key("A-1")
                    .delay(Duration.ofMinutes(5))
                    .header("tenant", "acme")
                    .tags("parcels", "eu")
                    .model("Order", "A-1"));
        drain();
        assertThat(shipping.shipped).isEmpty();
    }

    @Test
    void publishesAnIdOnce() {
        String requestId = "request-17";
        UUID id = UUID.nameUUIDFromBytes(requestId.getBytes(StandardCharsets.UTF_8));
        events.publish(new OrderShipped("A-1", 2), PublishOptions.none().id(id));
        events.publish(new OrderShipped("A-1", 2), PublishOptions.none().id(id));
        drain();
        assertThat(shipping.shipped).hasSize(1);
    }

    @Test
    void publishesSeveralAtOnce() {
        events.publishAll(List.of(new OrderShipped("A-1", 1), new OrderShipped("A-2", 1), new OrderCancelled("A-3")));
        drain();
        assertThat(shipping.shipped).hasSize(2);
    }

    @Test
    void publishesWhatAnAggregateRaised() {
        Order order = new Order("A-1");
        order.ship(2);
        events.publishAll(order);
        drain();
        assertThat(shipping.shipped).hasSize(1);
        assertThat(order.raisedEvents()).isEmpty();
    }

    @Test
    void runsAnAction() {
        int parcels = actions.execute("ship-order", Map.of("orderId", "A-1"), raised -> {
            raised.raise(new OrderShipped("A-1", 2));
            return 2;
        });
        drain();
        assertThat(shipping.shipped).containsExactly(new OrderShipped("A-1", parcels));
    }

    @Test
    void storesSpringsOwnEvents() {
        publisher.publishEvent(new OrderReturned("A-1"));
        drain();
        assertThat(shipping.returned).containsExactly(new OrderReturned("A-1"));
    }

    @Test
    void tellsHowFarAnEventGot() {
        UUID id = events.publish(new OrderShipped("A-1", 2));
        drain();
        events.find(id).ifPresent(event -> System.out.println(event.status() + " " + event.eventType()));
        for (Notification notification : events.notifications(id)) {
            System.out.println(notification.handler() + " " + notification.state() + " " + notification.attempts());
        }
        assertThat(events.notifications(id)).extracting(Notification::state)
            .containsExactly(NotificationState.SUCCEEDED);
    }

    @Test
    void callsTheHandlerOfWhatWasPublished() {
        events.publish(new OrderShipped("A-1", 2));

        drain();

        assertThat(shipping.shipped).containsExactly(new OrderShipped("A-1", 2));
    }

    @Test
    void leavesNothingOfATransactionThatRolledBack() {
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
            events.publish(new OrderShipped("A-1", 2));
            throw new IllegalStateException("no parcel");
        })).hasMessage("no parcel");
        drain();
        assertThat(shipping.shipped).isEmpty();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Shipping.class)
    static class Application {

    }

}
