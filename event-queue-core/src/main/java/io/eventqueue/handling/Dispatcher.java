package io.eventqueue.handling;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventQueueListener;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.NotificationState;
import io.eventqueue.jdbc.Database;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs each claim on a virtual thread of its own and passes its outcome on. A place of
 * {@link Capacity} is taken when a claim gets here and given back when its thread ends,
 * also when the outcome was decided earlier by a timeout.
 */
final class Dispatcher {

    private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

    private final EventHandlerRegistry registry;

    private final Invoker invoker;

    private final Capacity capacity;

    private final EventQueueListener listener;

    private final Map<UUID, InFlight> inFlight = new ConcurrentHashMap<>();

    private final Map<String, AtomicInteger> runningByHandler = new ConcurrentHashMap<>();

    private final ScheduledExecutorService timer = Executors
        .newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("event-queue-timeouts").factory());

    /** Handlers see the same one, and nothing else, of whichever thread starts them. */
    private final @Nullable ClassLoader classLoader = Thread.currentThread().getContextClassLoader();

    private volatile boolean interrupting;

    Dispatcher(EventHandlerRegistry registry, Invoker invoker, Capacity capacity, EventQueueListener listener) {
        this.registry = registry;
        this.invoker = invoker;
        this.capacity = capacity;
        this.listener = listener;
    }

    /**
     * Starts the handler; {@code sink} gets exactly one outcome, or none when another
     * decision came first.
     */
    void dispatch(Database database, Claim claim, Outcomes outcomes, Consumer<Recorded> sink) {
        HandlerDefinition handler = registry.find(claim.handlerName()).orElseThrow();
        InFlight entry = new InFlight(handler, database, claim);
        InFlight kept = inFlight.compute(claim.id(),
                (id, running) -> running != null && running.goOnUnder(claim) ? running : entry);
        if (kept != entry) {
            // Our own lease ended (the database was away) while the handler is still
            // running: keep that run.
            capacity.handlerEnded();
            sink.accept(new Recorded(entry, null));
            return;
        }
        if (claim.abandonedBy() != null) {
            listener.abandoned(handler.name());
        }
        counter(handler.name()).incrementAndGet();
        // Known before it runs, so that its timeout finds somebody to interrupt.
        Thread thread = Thread.ofVirtual()
            .name("event-handler-" + handler.name())
            .inheritInheritableThreadLocals(false)
            .unstarted(() -> run(entry, outcomes, sink));
        thread.setContextClassLoader(classLoader);
        entry.thread = thread;
        thread.start();
    }

    /** An entry whose outcome is to be written; null when there is nothing to write. */
    record Recorded(InFlight entry, @Nullable Outcome outcome) {
    }

    private void run(InFlight entry, Outcomes outcomes, Consumer<Recorded> sink) {
        entry.started = true;
        Claim claim = entry.claim;
        ScheduledFuture<?> timeout = scheduleTimeout(entry, sink);
        @Nullable Outcome outcome = null;
        long start = System.nanoTime();
        try {
            outcome = invoker.invoke(entry.handler, claim, entry.database, outcomes);
        }
        catch (Throwable unexpected) {
            log.error("Delivery {} of handler '{}' could not be decided; it is tried again when its lease ends",
                    claim.id(), entry.handler.name(), unexpected);
        }
        finally {
            if (timeout != null) {
                timeout.cancel(false);
            }
            if (entry.decide()) {
                if (interrupting && outcome != null && outcome.state() == NotificationState.FAILED) {
                    outcome = Outcome.handedBack(entry.claim);
                }
                Outcome current = outcome == null ? null : outcome.forClaim(entry.claim);
                report(entry, current, Duration.ofNanos(System.nanoTime() - start));
                sink.accept(new Recorded(entry, current));
            }
            // Last, so that whoever sees the node idle also sees every outcome queued.
            counter(entry.handler.name()).decrementAndGet();
            capacity.handlerEnded();
        }
    }

    private @Nullable ScheduledFuture<?> scheduleTimeout(InFlight entry, Consumer<Recorded> sink) {
        Duration limit = entry.handler.timeout();
        if (limit == null) {
            return null;
        }
        return timer.schedule(() -> {
            if (entry.decide()) {
                Thread.ofVirtual().start(() -> {
                    Outcome outcome = invoker.timedOut(entry.handler, entry.claim, entry.database, limit);
                    report(entry, outcome, limit);
                    sink.accept(new Recorded(entry, outcome));
                });
                Thread thread = entry.thread;
                if (thread != null) {
                    thread.interrupt();
                }
            }
        }, limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void report(InFlight entry, @Nullable Outcome outcome, Duration took) {
        NotificationState state = outcome == null ? null : outcome.state();
        if (outcome == null || state == null) {
            return;
        }
        Claim claim = entry.claim;
        Duration lag = claim.attempt() == 1 ? Duration.between(claim.availableAt(), java.time.Instant.now()).minus(took)
                : null;
        listener.handled(entry.handler.name(), state, took, lag);
        if (outcome.failure() != null) {
            log.warn("Handler '{}' failed on event {} (attempt {}), now {}: {}", entry.handler.name(), claim.eventId(),
                    claim.attempt(), state, outcome.failure().summary());
        }
    }

    /** The outcome is in the database, or nobody will write it. */
    void forget(InFlight entry) {
        inFlight.remove(entry.claim.id(), entry);
    }

    List<InFlight> inFlight() {
        return new ArrayList<>(inFlight.values());
    }

    boolean hasInFlight(Database database) {
        return inFlight.values().stream().anyMatch(entry -> entry.database == database);
    }

    int running(String handlerName) {
        return counter(handlerName).get();
    }

    private AtomicInteger counter(String handlerName) {
        return runningByHandler.computeIfAbsent(handlerName, name -> new AtomicInteger());
    }

    void interruptAll() {
        interrupting = true;
        for (InFlight entry : inFlight.values()) {
            Thread thread = entry.thread;
            if (thread != null) {
                thread.interrupt();
            }
        }
    }

    void started() {
        interrupting = false;
    }

}
