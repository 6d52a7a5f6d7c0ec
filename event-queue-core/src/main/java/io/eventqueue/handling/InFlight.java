package io.eventqueue.handling;

import io.eventqueue.HandlerDefinition;
import io.eventqueue.jdbc.Database;
import org.jspecify.annotations.Nullable;

/** A claim this node holds, from claiming to the recorded outcome. */
final class InFlight {

    final HandlerDefinition handler;

    final Database database;

    final long claimedNanos = System.nanoTime();

    volatile Claim claim;

    volatile boolean started;

    volatile @Nullable Thread thread;

    private boolean decided;

    InFlight(HandlerDefinition handler, Database database, Claim claim) {
        this.handler = handler;
        this.database = database;
        this.claim = claim;
    }

    /**
     * Whoever gets true decides the outcome: the handler's end, its timeout, or the stop
     * of the node.
     */
    synchronized boolean decide() {
        boolean first = !decided;
        decided = true;
        return first;
    }

    /**
     * Goes on under a newer claim. False: the outcome of this run is decided, so the
     * newer claim needs a run of its own.
     */
    synchronized boolean goOnUnder(Claim newer) {
        if (decided) {
            return false;
        }
        claim = newer;
        return true;
    }

}
