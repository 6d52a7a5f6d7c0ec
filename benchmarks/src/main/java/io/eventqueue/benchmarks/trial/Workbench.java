package io.eventqueue.benchmarks.trial;

import io.eventqueue.benchmarks.contender.Contender;
import io.eventqueue.benchmarks.contender.PullContender;
import io.eventqueue.benchmarks.measure.CostMeter;
import io.eventqueue.benchmarks.measure.Measurement;
import io.eventqueue.benchmarks.measure.RecordingHandler;
import io.eventqueue.benchmarks.measure.ServerProbe;

/**
 * One open contender and the instruments around it.
 *
 * @param handlers how many handlers each event reaches
 */
public record Workbench(Contender contender, RecordingHandler handler, int handlers, ServerProbe probe,
        String jdbcUrl) {

    private static final int FOREIGN_EVENTS = 100_000;

    /**
     * Runs one trial of a phase and leaves empty tables behind, so that no vacuum
     * disturbs the next contender.
     */
    public Measurement run(Phase phase, int events, boolean counted) throws Exception {
        CostMeter meter = new CostMeter(probe, counted);
        contender.truncate();
        try {
            return switch (phase) {
                case PUBLISH_ONE -> new PublishTrial(this, 1).run(events, meter);
                case PUBLISH_HUNDRED -> new PublishTrial(this, 100).run(events, meter);
                case DRAIN, DRAIN_LONG, DRAIN_FANOUT -> new DrainTrial(this, false).run(events, meter);
                case DRAIN_HELD -> new DrainTrial(this, true).run(events, meter);
                case LATENCY -> new LatencyTrial(this).run(events);
                case SUBSCRIBE -> new SubscribeTrial((PullContender) contender, probe, 0).run(events);
                case SUBSCRIBE_FOREIGN ->
                    new SubscribeTrial((PullContender) contender, probe, FOREIGN_EVENTS).run(events);
                case LATENCY_TWO_JVMS -> throw new IllegalArgumentException("needs two JVMs");
            };
        }
        finally {
            contender.truncate();
        }
    }

    /** Waits until the handlers ran and then until the database says that all is done. */
    public void awaitDone(int events, long timeoutSeconds) throws Exception {
        handler.awaitCalls((long) events * handlers, timeoutSeconds);
        long deadline = System.nanoTime() + timeoutSeconds * 1_000_000_000L;
        while (contender.unfinished() > 0) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(contender.unfinished() + " rows are still unfinished");
            }
            Thread.sleep(2);
        }
    }
}
