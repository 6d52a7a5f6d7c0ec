package io.eventqueue.handling;

import io.eventqueue.HandlerDefinition;
import io.eventqueue.jdbc.Database;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A claim this node holds, from claiming to the recorded outcome. */
final class InFlight {

    final HandlerDefinition handler;

    final Database database;

    final long claimedNanos = System.nanoTime();

    /**
     * Whoever sets it decides the outcome: the handler's end, its timeout, or the stop of
     * the node.
     */
    final AtomicBoolean decided = new AtomicBoolean();

    volatile Claim claim;

    volatile boolean started;

    volatile @Nullable Thread thread;

    InFlight(HandlerDefinition handler, Database database, Claim claim) {
        this.handler = handler;
        this.database = database;
        this.claim = claim;
    }

}
