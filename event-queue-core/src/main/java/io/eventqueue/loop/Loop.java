package io.eventqueue.loop;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs rounds on a thread of its own until stopped:
 *
 * <ol>
 * <li>a round that did something is followed by the next at once;
 * <li>a round that did nothing is followed by a wait of the poll delay, cut short by
 * {@link #wake()};
 * <li>a round that failed is followed by a wait that doubles from 100 ms up to 30 s, so a
 * database that is away is neither hammered nor forgotten.
 * </ol>
 *
 * A wake-up that arrives during a round is kept: the next wait ends at once.
 */
public final class Loop {

    /** One round; returns how much it did. */
    @FunctionalInterface
    public interface Round {

        int run() throws Exception;

    }

    private static final Logger log = LoggerFactory.getLogger(Loop.class);

    private static final Duration FIRST_BACKOFF = Duration.ofMillis(100);

    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(30);

    private final String name;

    private final Duration pollDelay;

    private final Round round;

    private final Consumer<Exception> onFailure;

    private final Semaphore wakeUps = new Semaphore(0);

    private volatile boolean stopping;

    private @Nullable Thread thread;

    public Loop(String name, Duration pollDelay, Round round, Consumer<Exception> onFailure) {
        this.name = name;
        this.pollDelay = pollDelay;
        this.round = round;
        this.onFailure = onFailure;
    }

    public synchronized void start() {
        if (thread != null) {
            return;
        }
        stopping = false;
        thread = Thread.ofPlatform().name(name).daemon().start(this::runUntilStopped);
    }

    /** Ends the current or next wait at once. */
    public void wake() {
        if (wakeUps.availablePermits() == 0) {
            wakeUps.release();
        }
    }

    public boolean isStopping() {
        return stopping;
    }

    /** Asks the loop to end after the current round; {@link #join} waits for it. */
    public void requestStop() {
        stopping = true;
        wake();
    }

    /**
     * Waits for the loop to end; a round that is still running after {@code limit} is
     * interrupted.
     */
    public synchronized void join(Duration limit) {
        Thread running = thread;
        if (running == null || running == Thread.currentThread()) {
            return;
        }
        boolean interrupted = false;
        try {
            if (!running.join(limit)) {
                running.interrupt();
                running.join(Duration.ofSeconds(5));
            }
        }
        catch (InterruptedException e) {
            running.interrupt();
            interrupted = true;
        }
        thread = null;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void runUntilStopped() {
        int failures = 0;
        while (!stopping) {
            Duration wait;
            try {
                int done = round.run();
                if (failures > 0) {
                    log.info("{} works again after {} failed rounds", name, failures);
                    failures = 0;
                }
                if (done > 0) {
                    continue;
                }
                wait = pollDelay;
            }
            catch (InterruptedException e) {
                return;
            }
            catch (Exception e) {
                wait = backoff(failures++);
                report(e, failures, wait);
            }
            catch (Error e) {
                wait = backoff(failures++);
                report(new IllegalStateException(e), failures, wait);
            }
            try {
                if (wakeUps.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS)) {
                    wakeUps.drainPermits();
                }
            }
            catch (InterruptedException e) {
                return;
            }
        }
    }

    private void report(Exception error, int failures, Duration wait) {
        if (stopping) {
            return;
        }
        if (failures == 1) {
            log.warn("{} failed and is tried again in {} ms", name, wait.toMillis(), error);
        }
        else {
            log.warn("{} failed {} times in a row, tried again in {} ms: {}", name, failures, wait.toMillis(),
                    error.toString());
        }
        onFailure.accept(error);
    }

    private static Duration backoff(int failures) {
        Duration doubled = FIRST_BACKOFF.multipliedBy(1L << Math.min(failures, 10));
        return doubled.compareTo(LONGEST_BACKOFF) < 0 ? doubled : LONGEST_BACKOFF;
    }

}
