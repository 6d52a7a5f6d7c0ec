package io.eventqueue.sample;

import io.eventqueue.EventHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Thanks the customer. A mail cannot be taken back, so after a crash in the wrong moment
 * the customer is thanked twice: at least once.
 */
@Component
class ConfirmationMail {

    private static final Logger log = LoggerFactory.getLogger(ConfirmationMail.class);

    private final ShopSettings shop;

    ConfirmationMail(ShopSettings shop) {
        this.shop = shop;
    }

    @EventHandler(name = "confirmation-mail")
    void send(OrderPlaced order) throws InterruptedException {
        Thread.sleep(shop.remoteCall());
        log.info("Mail for order {}: thank you, {}", order.orderId(), order.customer());
    }

}
