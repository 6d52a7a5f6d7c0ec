package io.eventqueue.benchmarks.contender;

/**
 * A contender whose events can also be pulled by workers. The extension point of the
 * subscribe phases: only contenders that implement it take part in them.
 */
public interface PullContender extends Contender {

    /**
     * Publishes events that wait for other workers (other tags) and that
     * {@link #subscribe} must therefore skip.
     */
    void publishForeign(int events) throws Exception;

    /** Publishes one event that {@link #subscribe} will find. */
    void publishMine(String payload) throws Exception;

    /**
     * One subscribe call of a worker, and the completion of what it got.
     * @return false if there was nothing to pick
     */
    boolean subscribe() throws Exception;

}
