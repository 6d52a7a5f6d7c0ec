package io.eventqueue.api;

import io.eventqueue.QueuedEvent;
import io.eventqueue.jdbc.Database;
import io.eventqueue.loop.Loop;
import io.eventqueue.loop.Signals.Signal;
import io.eventqueue.outbox.PollRequest;
import io.eventqueue.outbox.PullQueue;
import io.eventqueue.outbox.WorkerClaim;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Workers that wait for an event. None of them holds a thread or a connection:
 *
 * <ol>
 * <li>a worker that found nothing joins the queue of its tags;
 * <li>a commit, here or on a node that notifies, wakes the one loop; otherwise it wakes
 * after the poll delay, for retries that are due and leases that have ended;
 * <li>the loop polls once for the first of each queue, and goes on with the next of that
 * queue as long as there are events: a round costs one poll for each set of tags, however
 * many workers wait;
 * <li>who has waited long enough is answered without an event.
 * </ol>
 *
 * Stops before the web server, answering everybody, so that no shutdown waits for them.
 */
public final class WaitingWorkers implements SmartLifecycle {

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

    private record Waiting(PollRequest request, CompletableFuture<Optional<QueuedEvent>> answer) {
    }

    private final PullQueue queue;

    private final List<Database> databases;

    private final WorkerApiSettings settings;

    private final WorkerApiListener listener;

    private final Map<Set<String>, Deque<Waiting>> waiting = new LinkedHashMap<>();

    private final AtomicLong signals = new AtomicLong();

    private final Consumer<Signal> onSignal = this::hear;

    private final Loop loop;

    private int count;

    private int unanswered;

    private boolean running;

    public WaitingWorkers(PullQueue queue, List<Database> databases, WorkerApiSettings settings,
            WorkerApiListener listener) {
        this.queue = queue;
        this.databases = List.copyOf(databases);
        this.settings = settings;
        this.listener = listener;
        this.loop = new Loop("event-queue-waiting-workers", settings.pollDelay(), this::serve, error -> {
        });
    }

    /**
     * Ask before polling and pass it to {@link #join}: what is committed between the two
     * is not missed.
     */
    long signals() {
        return signals.get();
    }

    /**
     * Completes with an event for this worker, or empty when the wait is over; in both
     * cases after the worker has left, so that whoever hears the answer may join again.
     * Call {@link #answered()} once the answer is written.
     */
    CompletableFuture<Optional<QueuedEvent>> join(PollRequest request, Duration wait, long seen) {
        CompletableFuture<Optional<QueuedEvent>> answer = new CompletableFuture<>();
        Waiting worker = new Waiting(request, answer);
        synchronized (this) {
            unanswered++;
            if (!running || count >= settings.maxWaiting()) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            waiting.computeIfAbsent(request.tags(), tags -> new ArrayDeque<>()).addLast(worker);
            count++;
        }
        long since = System.nanoTime();
        CompletableFuture<Optional<QueuedEvent>> left = answer
            .completeOnTimeout(Optional.empty(), wait.toNanos(), TimeUnit.NANOSECONDS)
            .whenComplete((event, error) -> {
                leave(worker);
                listener.waited(request.tags(), event != null && event.isPresent(),
                        Duration.ofNanos(System.nanoTime() - since));
            });
        if (signals.get() != seen) {
            loop.wake();
        }
        return left;
    }

    /** How many wait now. */
    public synchronized int count() {
        return count;
    }

    /** The answer to one that joined was written, or nobody is left to read it. */
    synchronized void answered() {
        unanswered--;
        notifyAll();
    }

    void wake() {
        signals.incrementAndGet();
        loop.wake();
    }

    @Override
    public synchronized void start() {
        running = true;
        databases.forEach(database -> database.shard().signals().listen(onSignal));
        loop.start();
    }

    @Override
    public void stop() {
        List<Waiting> all = new ArrayList<>();
        synchronized (this) {
            running = false;
            waiting.values().forEach(all::addAll);
        }
        databases.forEach(database -> database.shard().signals().forget(onSignal));
        loop.requestStop();
        all.forEach(worker -> worker.answer().complete(Optional.empty()));
        loop.join(STOP_TIMEOUT);
        awaitAnswered();
    }

    /** The web server does not wait for an answer that is about to be dispatched. */
    private synchronized void awaitAnswered() {
        long deadline = System.nanoTime() + STOP_TIMEOUT.toNanos();
        try {
            for (long left = STOP_TIMEOUT.toMillis(); unanswered > 0
                    && left > 0; left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())) {
                wait(left);
            }
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }

    private void hear(Signal signal) {
        if (signal == Signal.EVENTS) {
            wake();
        }
    }

    /** One round. Returns zero, as it leaves nothing behind that could be had now. */
    private int serve() {
        for (Set<String> tags : waitedFor()) {
            Waiting worker = first(tags);
            while (worker != null && poll(worker)) {
                worker = first(tags);
            }
        }
        return 0;
    }

    /** Returns false if there was nothing for this worker, and so for its whole queue. */
    private boolean poll(Waiting worker) {
        if (worker.answer().isDone()) {
            leave(worker);
            return true;
        }
        Optional<QueuedEvent> picked = queue.poll(worker.request()).stream().findFirst();
        picked.filter(event -> !worker.answer().complete(picked))
            .ifPresent(event -> queue.release(WorkerClaim.of(event), Duration.ZERO));
        return picked.isPresent();
    }

    private synchronized List<Set<String>> waitedFor() {
        return List.copyOf(waiting.keySet());
    }

    private synchronized @Nullable Waiting first(Set<String> tags) {
        Deque<Waiting> workers = waiting.get(tags);
        return workers == null ? null : workers.peekFirst();
    }

    private synchronized void leave(Waiting worker) {
        Deque<Waiting> workers = waiting.get(worker.request().tags());
        if (workers != null && workers.remove(worker)) {
            count--;
            if (workers.isEmpty()) {
                waiting.remove(worker.request().tags());
            }
        }
    }

}
