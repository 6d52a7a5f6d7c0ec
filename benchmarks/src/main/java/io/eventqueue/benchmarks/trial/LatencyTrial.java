package io.eventqueue.benchmarks.trial;

import io.eventqueue.benchmarks.measure.Measurement;

/** Publishes a trickle in the JVM that also handles it. */
record LatencyTrial(Workbench bench) {

    private static final long TIMEOUT_SECONDS = 60;

    Measurement run(int events) throws Exception {
        bench.probe().checkpoint();
        bench.handler().noteEntries(events);
        bench.contender().startWorkers();
        try {
            long[] commits = Trickle.publish(bench.contender(), events);
            bench.awaitDone(events, TIMEOUT_SECONDS);
            return Latency.between(commits, bench.handler().entries());
        }
        finally {
            bench.contender().stopWorkers();
        }
    }
}
