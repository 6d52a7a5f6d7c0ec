package io.eventqueue.benchmarks.measure;

import io.eventqueue.benchmarks.contender.CommitClock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * The handler every contender calls: it counts, and for latency it notes when it was
 * first entered for each event.
 */
public final class RecordingHandler implements Consumer<String> {

    private final AtomicLong calls = new AtomicLong();

    private volatile AtomicLongArray entries = new AtomicLongArray(0);

    @Override
    public void accept(String payload) {
        AtomicLongArray expected = entries;
        if (expected.length() > 0) {
            long now = CommitClock.now();
            int event = Payload.event(payload);
            if (event < expected.length()) {
                expected.compareAndSet(event, 0, now);
            }
        }
        calls.incrementAndGet();
    }

    /** Forgets everything; from now on the calls are counted only. */
    public void countOnly() {
        calls.set(0);
        entries = new AtomicLongArray(0);
    }

    /**
     * Forgets everything; from now on the first entry of each of these events is noted.
     */
    public void noteEntries(int events) {
        calls.set(0);
        entries = new AtomicLongArray(events);
    }

    public long calls() {
        return calls.get();
    }

    /** When each event was first handled, 0 where it was not. */
    public long[] entries() {
        AtomicLongArray noted = entries;
        return LongStream.range(0, noted.length()).map(i -> noted.get((int) i)).toArray();
    }

    /** Looks only at memory, so that waiting costs the database nothing. */
    public void awaitCalls(long wanted, long timeoutSeconds) throws InterruptedException, TimeoutException {
        long start = System.nanoTime();
        while (calls.get() < wanted) {
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(timeoutSeconds)) {
                throw new TimeoutException("handled " + calls + " of " + wanted);
            }
            Thread.sleep(1);
        }
    }

}
