package io.eventqueue.benchmarks.trial;

import io.eventqueue.benchmarks.measure.CostMeter;
import io.eventqueue.benchmarks.measure.Measurement;

/**
 * Publishes into empty tables while no workers run, from the first event to the last
 * commit.
 */
record PublishTrial(Workbench bench, int perTransaction) {

    Measurement run(int events, CostMeter meter) throws Exception {
        bench.probe().checkpoint();
        meter.start();
        Publishers.publish(bench.contender(), events, perTransaction);
        return meter.stop(events);
    }
}
