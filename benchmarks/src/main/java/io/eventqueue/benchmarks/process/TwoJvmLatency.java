package io.eventqueue.benchmarks.process;

import io.eventqueue.benchmarks.measure.Measurement;
import io.eventqueue.benchmarks.trial.Latency;
import java.io.IOException;

/**
 * Latency when one JVM publishes and another handles. Both read the same machine's clock.
 */
public record TwoJvmLatency(ContenderProcess publisher, ContenderProcess worker) {

    public Measurement run(int events) throws IOException, ContenderFailure {
        worker.listen(events);
        long[] commits = publisher.trickle(events);
        return Latency.between(commits, worker.heard(events));
    }

}
