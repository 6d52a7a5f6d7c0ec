package io.eventqueue.benchmarks.trial;

import io.eventqueue.benchmarks.contender.Contender;
import io.eventqueue.benchmarks.measure.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Eight threads that publish as fast as they can, each taking the next numbers until all
 * events are published.
 */
final class Publishers {

    private static final int THREADS = 8;

    private Publishers() {
    }

    static void publish(Contender contender, int events, int perTransaction) throws Exception {
        AtomicInteger next = new AtomicInteger();
        try (ExecutorService executor = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                running.add(executor.submit(() -> {
                    int first;
                    while ((first = next.getAndAdd(perTransaction)) < events) {
                        publish(contender, first, Math.min(events, first + perTransaction), perTransaction);
                    }
                    return null;
                }));
            }
            for (Future<?> publisher : running) {
                publisher.get();
            }
        }
    }

    private static void publish(Contender contender, int from, int to, int perTransaction) throws Exception {
        if (perTransaction == 1) {
            contender.publish(Payload.of(from));
        }
        else {
            contender.publishAll(IntStream.range(from, to).mapToObj(Payload::of).toList());
        }
    }

}
