package io.eventqueue;

/**
 * Background work that can be run in a loop or, for tests and manual use, one round at a
 * time.
 *
 * <p>
 * Not started, a job does nothing on its own: {@link #drainOneRound()} does one round in
 * the caller's thread.
 */
public interface Job {

    /**
     * Does one round on every shard and waits for it. Returns how many rows it moved; 0
     * means there was nothing due.
     */
    int drainOneRound();

    /** Starts the loops. Starting twice is harmless. */
    void start();

    /**
     * Stops in an orderly way and returns when nothing of this job runs any more.
     * Stopping twice is harmless.
     */
    void stop();

    boolean isRunning();

}
