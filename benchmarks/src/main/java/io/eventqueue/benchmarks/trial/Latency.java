package io.eventqueue.benchmarks.trial;

import io.eventqueue.benchmarks.measure.Measurement;
import java.util.stream.IntStream;

/** Latency from commit to handler entry. */
public final class Latency {

    private Latency() {
    }

    /**
     * A handler may be entered before the publisher has read the clock after its commit;
     * that counts as 0.
     * @param commits when each event was committed
     * @param entries when each event's handler was first entered
     */
    public static Measurement between(long[] commits, long[] entries) {
        return Measurement.ofLatencies(IntStream.range(0, commits.length)
            .mapToLong(event -> Math.max(0, entries[event] - commits[event]))
            .sorted()
            .toArray());
    }

}
