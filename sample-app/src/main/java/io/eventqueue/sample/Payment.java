package io.eventqueue.sample;

import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHandler;
import io.eventqueue.HandlerResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Charges the customer. The bank does not answer now and then, which is tried again. A
 * card over its limit stays so until somebody raises it: no retry, a dead letter.
 */
@Component
class Payment {

    private static final Logger log = LoggerFactory.getLogger(Payment.class);

    private final UnreliableBank bank;

    private final ShopSettings shop;

    Payment(UnreliableBank bank, ShopSettings shop) {
        this.bank = bank;
        this.shop = shop;
    }

    @EventHandler(name = "payment", initialBackoff = "2s", maxBackoff = "30s")
    HandlerResult charge(OrderPlaced order, EventEnvelope<OrderPlaced> envelope) throws InterruptedException {
        if (order.quantity() > shop.cardLimit()) {
            return HandlerResult.unrecoverableError("The card is good for " + shop.cardLimit() + " pieces at most");
        }
        // The same in every attempt, so the bank can tell a repetition from a second
        // order.
        bank.charge(envelope.notificationId(), order.orderId());
        log.info("Order {} is paid (attempt {})", order.orderId(), envelope.attempt());
        return HandlerResult.success();
    }

}
