package io.eventqueue.benchmarks.contender;

import java.util.ArrayList;
import java.util.List;

/**
 * The threads of a hand-written baseline. Each repeats its round until stopped and rests
 * when a round found nothing. A round that throws ends its thread and is reported: the
 * drain then times out instead of giving a wrong number.
 */
final class WorkerThreads {

    /** One claim-and-work step. */
    interface Round {

        /** False if there was nothing to do. */
        boolean work() throws Exception;

    }

    /**
     * Opens what a round needs (a connection, statements) on the thread that will use it.
     */
    interface Worker {

        void run(WorkerThreads threads) throws Exception;

    }

    private static final long IDLE_MILLIS = 5;

    private final List<Thread> threads = new ArrayList<>();

    private volatile boolean running = true;

    void start(String name, Worker worker) {
        threads.add(Thread.ofPlatform().name(name).start(() -> {
            try {
                worker.run(this);
            }
            catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
            catch (Exception e) {
                throw new IllegalStateException(name + " failed", e);
            }
        }));
    }

    void repeat(Round round) throws Exception {
        while (running) {
            if (!round.work()) {
                Thread.sleep(IDLE_MILLIS);
            }
        }
    }

    void stop() throws InterruptedException {
        running = false;
        for (Thread thread : threads) {
            thread.join();
        }
    }

}
