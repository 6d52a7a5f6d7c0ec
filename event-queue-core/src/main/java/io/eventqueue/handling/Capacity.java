package io.eventqueue.handling;

import java.time.Duration;

/**
 * How much this node may take on: at most {@code concurrency} handlers at a time, and at
 * most {@code concurrency + backlog} claims whose outcome is not in the database yet.
 * That bounds the memory of the engine whatever the backlog.
 */
final class Capacity {

    private final int concurrency;

    private final int unrecordedLimit;

    private final int shards;

    private int running;

    private int unrecorded;

    private int waiting;

    Capacity(int concurrency, int backlog, int shards) {
        this.concurrency = concurrency;
        this.shards = shards;
        this.unrecordedLimit = concurrency + backlog;
    }

    /**
     * Takes up to {@code wanted} places; returns how many. With several shards it is at
     * most half of what is free: places are held while a database is asked, and one that
     * does not answer must leave some to the others.
     */
    synchronized int reserve(int wanted) {
        int offered = shards == 1 ? free() : (free() + 1) / 2;
        int taken = Math.max(0, Math.min(wanted, offered));
        running += taken;
        unrecorded += taken;
        return taken;
    }

    synchronized boolean hasRoom() {
        return free() > 0;
    }

    /**
     * Waits until {@code atLeast} places are free; false if they were not within
     * {@code limit}.
     */
    synchronized boolean awaitFree(int atLeast, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        waiting++;
        try {
            while (concurrency - running < Math.min(atLeast, concurrency) || unrecorded >= unrecordedLimit) {
                long millis = (end - System.nanoTime()) / 1_000_000;
                if (millis <= 0) {
                    return false;
                }
                wait(millis);
            }
            return true;
        }
        finally {
            waiting--;
        }
    }

    /** Waits until no handler runs. */
    synchronized boolean awaitIdle(Duration limit) throws InterruptedException {
        return awaitFree(concurrency, limit);
    }

    /** Gives back places that were reserved and not used. */
    synchronized void giveBack(int places) {
        running -= places;
        unrecorded -= places;
        wakeWaiting();
    }

    synchronized void handlerEnded() {
        running--;
        wakeWaiting();
    }

    synchronized void recorded(int outcomes) {
        unrecorded -= outcomes;
        wakeWaiting();
    }

    synchronized int running() {
        return running;
    }

    private int free() {
        return Math.min(concurrency - running, unrecordedLimit - unrecorded);
    }

    private void wakeWaiting() {
        if (waiting > 0) {
            notifyAll();
        }
    }

}
