package io.eventqueue.sample;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.eventqueue.EventStatus;
import io.eventqueue.NotificationState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An order and how far its handlers got.
 *
 * @param eventStatus null when the event is older than the log reaches
 */
record Order(long id, String customer, String item, int quantity, Instant placedAt, @Nullable EventStatus eventStatus,
        List<Delivery> notifications) {

    /**
     * One handler's part.
     *
     * @param running whether a node is working on it now
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Delivery(String handler, NotificationState state, int attempts, boolean running,
            @Nullable Instant nextAttemptAt, @Nullable String lastError) {
    }
}
