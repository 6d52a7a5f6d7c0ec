package io.eventqueue.sample;

import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.stereotype.Component;

/** Stands for a remote service that is slow and sometimes away. */
@Component
class UnreliableBank {

    private final ShopSettings shop;

    UnreliableBank(ShopSettings shop) {
        this.shop = shop;
    }

    void charge(UUID idempotencyKey, long orderId) throws InterruptedException {
        Thread.sleep(shop.remoteCall());
        if (ThreadLocalRandom.current().nextDouble() < shop.bankFailureRate()) {
            throw new IllegalStateException(
                    "The bank does not answer (order " + orderId + ", request " + idempotencyKey + ")");
        }
    }

}
