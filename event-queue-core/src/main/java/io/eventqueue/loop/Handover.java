package io.eventqueue.loop;

import io.eventqueue.ActionContext;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Takes events straight from the transactions that publish them on this node. Whoever
 * publishes inserts an event as already claimed, if there is an offer for it, and hands
 * it over after the commit.
 */
public interface Handover {

    /** Who would handle events of this type at once; null if nobody would. */
    @Nullable Offer offerFor(String eventType);

    /** Offers nothing until it has looked again who may be offered what. */
    void withdraw();

    /** Starts their handlers, or gives the claims up. */
    void committed(List<Committed> events);

    /** What the row of a claimed event says. */
    record Offer(String node, String handler, Duration lease) {
    }

    /**
     * An event as its handler gets it.
     *
     * @param insertedNanos when it was inserted, by {@link System#nanoTime()}
     */
    record Committed(UUID id, String type, Offer offer, @Nullable String payload, @Nullable String headers,
            @Nullable String key, Instant eventDate, Instant availableAt, ActionContext action, long insertedNanos) {
    }

}
