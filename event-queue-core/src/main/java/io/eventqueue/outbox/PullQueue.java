package io.eventqueue.outbox;

import io.eventqueue.AttemptAction;
import io.eventqueue.EventAttempt;
import io.eventqueue.EventQueueListener;
import io.eventqueue.LostClaimException;
import io.eventqueue.QueuedEvent;
import io.eventqueue.UnknownEventException;
import io.eventqueue.handling.AbandonedPulls;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.EventRows;
import io.eventqueue.log.CurrentTrace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * What workers can do, over all shards. A worker polls, and from then on proves by
 * {@link WorkerClaim} that the event is its own; the claim is lost when its lease has
 * ended and somebody noticed, and then every call throws {@link LostClaimException} and
 * changes nothing. An id that exists on no shard is an {@link UnknownEventException}.
 *
 * <p>
 * Polling has a transaction of its own. Everything else joins the caller's, so that a
 * worker can end the event together with what it wrote; without one it opens its own.
 * Positions in the log are handed out one transaction at a time: end the event last.
 */
public final class PullQueue {

    private final Map<Database, Picking> pickings = new LinkedHashMap<>();

    private final Map<Database, WorkerOutcomes> outcomes = new LinkedHashMap<>();

    private final EventListing listing;

    private final EventQueueListener listener;

    private final AtomicInteger turn = new AtomicInteger();

    PullQueue(List<Database> databases, EventRows rows, EventQueueListener listener, CurrentTrace trace,
            Duration retentionWindow) {
        for (Database database : databases) {
            pickings.put(database,
                    new Picking(database, rows, new AbandonedPulls(database, listener), retentionWindow));
            outcomes.put(database, new WorkerOutcomes(database, rows, listener, trace));
        }
        this.listing = new EventListing(databases, rows);
        this.listener = listener;
    }

    /**
     * Claims due events that no handler subscribed to, oldest first, each for this worker
     * alone. With several shards, the first one asked changes from call to call.
     */
    public List<QueuedEvent> poll(PollRequest request) {
        List<Database> databases = new ArrayList<>(pickings.keySet());
        java.util.Collections.rotate(databases, Math.floorMod(turn.getAndIncrement(), databases.size()));
        List<QueuedEvent> picked = new ArrayList<>();
        for (Database database : databases) {
            if (picked.size() < request.max()) {
                List<QueuedEvent> here = java.util.Objects.requireNonNull(pickings.get(database))
                    .pick(request, request.max() - picked.size());
                here.forEach(event -> listener.worked(database.shard().name(), AttemptAction.PICKED, event.tags()));
                picked.addAll(here);
            }
        }
        return picked;
    }

    /** Notes that work has begun; repeated, it answers with the first note. */
    public EventAttempt start(WorkerClaim claim) {
        return onShardOf(claim.eventId(), shard -> shard.start(claim));
    }

    /** Extends the lease to this long from now; returns its end. */
    public Instant heartbeat(WorkerClaim claim, Duration lease) {
        return onShardOf(claim.eventId(), shard -> shard.heartbeat(claim, lease));
    }

    /**
     * Moves the event to the log: COMPLETED, or COMPLETED_WITH_ERRORS if there are any.
     * Repeated for the same claim, it answers with the first record.
     */
    public EventAttempt complete(WorkerClaim claim, Collection<String> errors, WorkReport report) {
        return onShardOf(claim.eventId(), shard -> shard.complete(claim, errors, report));
    }

    /**
     * As {@link #complete}, but whoever finalized the event: if it was, nothing happens.
     * @return false if it was
     */
    boolean finalizeUnlessDone(WorkerClaim claim, Collection<String> errors) {
        return onShardOf(claim.eventId(), shard -> {
            try {
                return shard.complete(claim, errors, WorkReport.NONE).map(attempt -> true);
            }
            catch (LostClaimException e) {
                if (shard.isLogged(claim.eventId())) {
                    return Optional.of(false);
                }
                throw e;
            }
        });
    }

    /**
     * Records a failure: the event is due again after the delay, or FAILED if this was
     * the last attempt it had. Repeated for the same claim, it answers with the first
     * record.
     */
    public FailedAttempt fail(WorkerClaim claim, String error, Duration delay, WorkReport report) {
        return onShardOf(claim.eventId(), shard -> shard.fail(claim, error, delay, report));
    }

    /** Gives the event back, due after the delay, without counting a failure. */
    public EventAttempt release(WorkerClaim claim, Duration delay) {
        return onShardOf(claim.eventId(), shard -> shard.release(claim, delay));
    }

    /**
     * For operators: makes the event available at once. One that is worked on loses its
     * owner, a waiting one its backoff, and a FAILED one starts over with all attempts.
     * @throws io.eventqueue.EventStateException if handlers have it or it is completed
     */
    public EventAttempt reset(UUID eventId, String reason) {
        return onShardOf(eventId, shard -> shard.reset(eventId, reason));
    }

    /** What happened to the event, oldest first. */
    public List<EventAttempt> audit(UUID eventId) {
        return outcomes.values().stream().flatMap(shard -> shard.audit(eventId).stream()).toList();
    }

    /** Lists live and finalized events, newest first. */
    public EventPage list(EventFilter filter) {
        return listing.list(filter);
    }

    private <T> T onShardOf(UUID eventId, Function<WorkerOutcomes, Optional<T>> work) {
        for (Map.Entry<Database, WorkerOutcomes> shard : outcomes.entrySet()) {
            try {
                Optional<T> result = shard.getKey().inCallersTransaction(() -> work.apply(shard.getValue()));
                if (result.isPresent()) {
                    return result.get();
                }
            }
            catch (LostClaimException e) {
                listener.fenced(shard.getKey().shard().name(), 1);
                throw e;
            }
        }
        throw new UnknownEventException("There is no event " + eventId
                + ", neither live nor in the log. Check the id; old events leave the log after event-queue.log-retention.");
    }

}
