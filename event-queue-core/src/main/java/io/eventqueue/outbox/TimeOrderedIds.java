package io.eventqueue.outbox;

import java.security.SecureRandom;
import java.util.UUID;

/**
 * UUIDs of version 7: milliseconds, a counter that keeps ids of one millisecond of this
 * process in order, randomness. They are unique and nearly sorted, which keeps indexes
 * compact; they are NOT in commit order.
 */
final class TimeOrderedIds {

    private static final SecureRandom SEED = new SecureRandom();

    private long lastMillis;

    private int counter;

    synchronized UUID next() {
        long now = System.currentTimeMillis();
        if (now > lastMillis) {
            lastMillis = now;
            counter = SEED.nextInt(1 << 10);
        }
        else if (++counter == 1 << 12) {
            lastMillis++;
            counter = 0;
        }
        long high = lastMillis << 16 | 0x7000L | counter;
        long low = SEED.nextLong() & 0x3FFF_FFFF_FFFF_FFFFL | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }

}
