package io.eventqueue.sample;

import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** What happens after an order; each handler is retried on its own. */
@Component
class OrderHandlers {

    private static final Logger log = LoggerFactory.getLogger(OrderHandlers.class);

    @EventHandler(name = "confirmation-mail")
    void sendConfirmation(OrderPlaced order) {
        log.info("Mail to {}: thank you for order {}", order.customer(), order.orderId());
    }

    @EventHandler(name = "search-index")
    void index(OrderPlaced order) {
        log.info("Order {} can be searched", order.orderId());
    }

    /** Every third order fails once, to show a retry. */
    @EventHandler(name = "payment", initialBackoff = "2s")
    void charge(OrderPlaced order, EventEnvelope<OrderPlaced> envelope) {
        if (order.orderId() % 3 == 0 && envelope.attempt() == 1) {
            throw new IllegalStateException("The bank does not answer");
        }
        log.info("Order {} is paid (attempt {})", order.orderId(), envelope.attempt());
    }

}
