package io.eventqueue.benchmarks.trial;

import io.eventqueue.benchmarks.measure.CostMeter;
import io.eventqueue.benchmarks.measure.Measurement;
import io.eventqueue.benchmarks.measure.Metric;

/**
 * Works off a backlog.
 *
 * <ol>
 * <li>Publish all events, 100 per transaction, while no workers run; vacuum, analyze,
 * checkpoint.
 * <li>With xmin held: another session opens a transaction, so that nothing deleted from
 * here on can be vacuumed.
 * <li>Measured: start the workers, wait for the last handler call, then for zero
 * unfinished rows.
 * </ol>
 */
record DrainTrial(Workbench bench, boolean xminHeld) {

    private static final long TIMEOUT_SECONDS = 300;

    Measurement run(int events, CostMeter meter) throws Exception {
        bench.probe().checkpoint();
        Publishers.publish(bench.contender(), events, 100);
        bench.probe().vacuumAnalyze();
        bench.probe().checkpoint();
        bench.contender().awaitDue();
        bench.handler().countOnly();
        if (!xminHeld) {
            return drain(events, meter);
        }
        try (OpenTransaction other = new OpenTransaction(bench.jdbcUrl())) {
            return drain(events, meter);
        }
    }

    private Measurement drain(int events, CostMeter meter) throws Exception {
        meter.start();
        bench.contender().startWorkers();
        try {
            bench.awaitDone(events, TIMEOUT_SECONDS);
            Measurement measured = meter.stop(events);
            long duplicates = bench.handler().calls() - (long) events * bench.handlers();
            return measured.with(Metric.DUPLICATES, duplicates);
        }
        finally {
            bench.contender().stopWorkers();
        }
    }
}
