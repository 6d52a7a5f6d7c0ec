package io.eventqueue.benchmarks.trial;

import io.eventqueue.benchmarks.contender.PullContender;
import io.eventqueue.benchmarks.measure.Measurement;
import io.eventqueue.benchmarks.measure.Payload;
import io.eventqueue.benchmarks.measure.ServerProbe;
import java.util.Arrays;

/**
 * How long a worker's subscribe takes, one event at a time, with events of other workers
 * waiting beside it.
 */
record SubscribeTrial(PullContender contender, ServerProbe probe, int foreignEvents) {

    Measurement run(int events) throws Exception {
        if (foreignEvents > 0) {
            contender.publishForeign(foreignEvents);
            probe.vacuumAnalyze();
        }
        probe.checkpoint();
        long[] nanos = new long[events];
        for (int event = 0; event < events; event++) {
            contender.publishMine(Payload.of(event));
            long start = System.nanoTime();
            if (!contender.subscribe()) {
                throw new IllegalStateException("subscribe did not find event " + event);
            }
            nanos[event] = System.nanoTime() - start;
        }
        Arrays.sort(nanos);
        return Measurement.ofLatencies(nanos);
    }
}
