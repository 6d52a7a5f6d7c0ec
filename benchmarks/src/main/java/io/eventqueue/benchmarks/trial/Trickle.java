package io.eventqueue.benchmarks.trial;

import io.eventqueue.benchmarks.contender.CommitClock;
import io.eventqueue.benchmarks.contender.Contender;
import io.eventqueue.benchmarks.measure.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Publishes at a steady 50 events per second, whether or not earlier ones are done, and
 * notes each commit.
 */
public final class Trickle {

    private static final int EVENTS_PER_SECOND = 50;

    private static final int THREADS = 4;

    private Trickle() {
    }

    /** When each event's commit returned, in the nanoseconds of {@link CommitClock}. */
    public static long[] publish(Contender contender, int events) throws Exception {
        long[] commits = new long[events];
        long start = System.nanoTime();
        try (ExecutorService executor = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> published = new ArrayList<>();
            for (int i = 0; i < events; i++) {
                int event = i;
                parkUntil(start + event * TimeUnit.SECONDS.toNanos(1) / EVENTS_PER_SECOND);
                published.add(executor.submit(() -> {
                    CommitClock.forgetCommit();
                    contender.publish(Payload.of(event));
                    commits[event] = CommitClock.lastCommit();
                    return null;
                }));
            }
            for (Future<?> future : published) {
                future.get();
            }
        }
        return commits;
    }

    private static void parkUntil(long due) {
        long left;
        while ((left = due - System.nanoTime()) > 0) {
            LockSupport.parkNanos(left);
        }
    }

}
