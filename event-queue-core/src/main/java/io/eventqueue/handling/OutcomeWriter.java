package io.eventqueue.handling;

import io.eventqueue.handling.Dispatcher.Recorded;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Collects outcomes while the previous batch commits, and writes what has gathered in one
 * transaction. When the database is away the batch is kept and tried again;
 * {@link Capacity} bounds how much can gather.
 */
final class OutcomeWriter {

    private static final int LARGEST_BATCH = 1000;

    private final BlockingQueue<Recorded> queue = new LinkedBlockingQueue<>();

    private final List<Recorded> batch = new ArrayList<>();

    private final Outcomes outcomes;

    private final Claims claims;

    private final Dispatcher dispatcher;

    private final Capacity capacity;

    OutcomeWriter(Outcomes outcomes, Claims claims, Dispatcher dispatcher, Capacity capacity) {
        this.outcomes = outcomes;
        this.claims = claims;
        this.dispatcher = dispatcher;
        this.capacity = capacity;
    }

    void add(Recorded recorded) {
        queue.add(recorded);
    }

    boolean isEmpty() {
        return queue.isEmpty() && batch.isEmpty();
    }

    /** One round: waits a moment for outcomes and writes what is there. */
    int writeGathered() throws InterruptedException {
        synchronized (batch) {
            if (batch.isEmpty()) {
                Recorded first = queue.poll(100, TimeUnit.MILLISECONDS);
                if (first == null) {
                    return 0;
                }
                batch.add(first);
                queue.drainTo(batch, LARGEST_BATCH - 1);
            }
            outcomes.write(batch.stream().flatMap(recorded -> Stream.ofNullable(recorded.outcome())).toList());
            List<Claim> undecided = batch.stream()
                .flatMap(recorded -> Stream.ofNullable(recorded.outcome()))
                .filter(outcome -> outcome.state() == null)
                .map(Outcome::claim)
                .toList();
            if (!undecided.isEmpty()) {
                claims.handBack(undecided, true);
            }
            batch.forEach(recorded -> dispatcher.forget(recorded.entry()));
            int written = batch.size();
            batch.clear();
            capacity.recorded(written);
            return written;
        }
    }

}
