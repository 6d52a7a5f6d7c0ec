package io.eventqueue.outbox;

import io.eventqueue.AttemptAction;
import io.eventqueue.EventAttempt;
import io.eventqueue.EventQueueListener;
import io.eventqueue.EventStateException;
import io.eventqueue.EventStatus;
import io.eventqueue.LostClaimException;
import io.eventqueue.QueuedEvent;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.EventRows;
import io.eventqueue.log.AttemptLog;
import io.eventqueue.log.AttemptLog.Line;
import io.eventqueue.log.CurrentTrace;
import io.eventqueue.log.Finalizer;
import io.eventqueue.log.Finalizer.Ended;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What workers do with events they have claimed, on one database, each in the caller's
 * transaction:
 *
 * <ol>
 * <li>lock the event;
 * <li>if the claim no longer holds: was the same thing recorded for it before? Then that
 * is the answer, and nothing is written. Otherwise the claim is lost;
 * <li>write the audit and the new state.
 * </ol>
 *
 * An empty result says that no event of that id is here.
 */
final class WorkerOutcomes {

    private final Database database;

    private final EventRows rows;

    private final AttemptLog attempts;

    private final Finalizer finalizer;

    private final EventQueueListener listener;

    WorkerOutcomes(Database database, EventRows rows, EventQueueListener listener, CurrentTrace trace) {
        this.database = database;
        this.rows = rows;
        this.attempts = new AttemptLog(database, trace);
        this.finalizer = new Finalizer(database);
        this.listener = listener;
    }

    Optional<EventAttempt> start(WorkerClaim claim) {
        return whileHeld(claim, AttemptAction.STARTED, event -> {
            Optional<EventAttempt> earlier = recorded(claim, event.attempts(), AttemptAction.STARTED);
            return earlier
                .orElseGet(() -> write(event, line(event, claim, AttemptAction.STARTED, WorkReport.NONE, null, null)));
        });
    }

    Optional<EventAttempt> complete(WorkerClaim claim, Collection<String> errors, WorkReport report) {
        return whileHeld(claim, AttemptAction.COMPLETED, event -> {
            String summary = errors.isEmpty() ? null : String.join("\n", errors);
            EventAttempt written = write(event, line(event, claim, AttemptAction.COMPLETED, report, summary, null));
            end(event, errors.isEmpty() ? EventStatus.COMPLETED : EventStatus.COMPLETED_WITH_ERRORS, errors);
            return written;
        });
    }

    Optional<FailedAttempt> fail(WorkerClaim claim, String error, Duration delay, WorkReport report) {
        return whileHeld(claim, AttemptAction.FAILED, event -> {
            boolean last = event.retryCount() + 1 >= event.maxRetries();
            EventAttempt written = write(event,
                    line(event, claim, AttemptAction.FAILED, report, error, last ? null : micros(delay)));
            if (last) {
                database.update("UPDATE {events} SET retry_count = retry_count + 1 WHERE id = :id",
                        Map.of("id", database.dialect().id(event.id())));
                end(event, EventStatus.FAILED, List.of(error));
            }
            else {
                makePending(event, delay, event.retryCount() + 1);
            }
            return written;
        }).map(written -> {
            QueuedEvent now = rows.find(database, claim.eventId()).orElseThrow();
            return new FailedAttempt(written, now.retryCount(), now.maxRetries());
        });
    }

    /** Gives the event back, without counting it as a failure. */
    Optional<EventAttempt> release(WorkerClaim claim, Duration delay) {
        return whileHeld(claim, AttemptAction.RESET, event -> {
            EventAttempt written = write(event,
                    line(event, claim, AttemptAction.RESET, WorkReport.NONE, "handed back by the worker", null));
            makePending(event, delay, event.retryCount());
            return written;
        });
    }

    /** Returns when the lease ends now. */
    Optional<Instant> heartbeat(WorkerClaim claim, Duration lease) {
        @Nullable QueuedEvent event = lock(claim.eventId());
        if (event == null) {
            return logged(claim.eventId()).map(ended -> {
                throw lost(claim, ended);
            });
        }
        if (!claim.holds(event)) {
            throw lost(claim, event);
        }
        Map<String, Object> parameters = Map.of("id", database.dialect().id(event.id()), "lease", micros(lease));
        database.update("UPDATE {events} SET lease_until = {now+:lease}, updated_at = {now} WHERE id = :id",
                parameters);
        return Optional.of(
                database
                    .query("SELECT lease_until FROM {events} WHERE id = :id", parameters,
                            (rs, row) -> database.dialect().instant(rs, "lease_until"))
                    .getFirst());
    }

    /**
     * Makes the event available at once: one that is worked on loses its owner, a waiting
     * one its backoff, a FAILED one starts over.
     */
    Optional<EventAttempt> reset(UUID eventId, String reason) {
        @Nullable QueuedEvent event = lock(eventId);
        if (event == null) {
            event = logged(eventId).orElse(null);
            if (event == null) {
                return Optional.empty();
            }
            if (event.status() == EventStatus.FAILED) {
                finalizer.takeBackFailed(eventId);
            }
        }
        switch (event.status()) {
            case PENDING, PROCESSING -> makePending(event, Duration.ZERO, event.retryCount());
            case FAILED -> makePending(event, Duration.ZERO, 0);
            case DELIVERED, COMPLETED, COMPLETED_WITH_ERRORS -> throw new EventStateException("Event " + eventId
                    + " is " + event.status() + ": only PENDING, PROCESSING and FAILED events can be reset.");
        }
        attempts.write(Line.of(eventId, event.workerId(), AttemptAction.RESET, event.attempts(), reason));
        return Optional.of(attempts.of(eventId).getLast());
    }

    boolean isLogged(UUID eventId) {
        return logged(eventId).isPresent();
    }

    List<EventAttempt> audit(UUID eventId) {
        return attempts.of(eventId);
    }

    private Optional<EventAttempt> whileHeld(WorkerClaim claim, AttemptAction action,
            Function<QueuedEvent, EventAttempt> work) {
        @Nullable QueuedEvent event = lock(claim.eventId());
        if (event != null && claim.holds(event)) {
            return Optional.of(work.apply(event));
        }
        Optional<QueuedEvent> found = event == null ? logged(claim.eventId()) : Optional.of(event);
        return found.map(other -> recorded(claim, claim.attempt(), action).orElseThrow(() -> lost(claim, other)));
    }

    private @Nullable QueuedEvent lock(UUID eventId) {
        return database
            .query("SELECT * FROM {events} WHERE id = :id FOR UPDATE", Map.of("id", database.dialect().id(eventId)),
                    (rs, row) -> rows.live(database.dialect(), rs))
            .stream()
            .findFirst()
            .orElse(null);
    }

    /**
     * Locks, too: in a caller's transaction with an older snapshot a plain read would not
     * see an event that has just been finalized.
     */
    private Optional<QueuedEvent> logged(UUID eventId) {
        return database
            .query("SELECT * FROM {event_log} WHERE id = :id FOR UPDATE", Map.of("id", database.dialect().id(eventId)),
                    (rs, row) -> rows.logged(database.dialect(), rs))
            .stream()
            .findFirst();
    }

    private void makePending(QueuedEvent event, Duration delay, int retryCount) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("id", database.dialect().id(event.id()));
        parameters.put("delay", micros(delay));
        parameters.put("retryCount", retryCount);
        database.update("""
                UPDATE {events} SET status = 'PENDING', available_at = {now+:delay}, retry_count = :retryCount,
                    worker_id = NULL, lease_until = NULL, handler_name = NULL, updated_at = {now}
                WHERE id = :id""", parameters);
        if (!event.tags().isEmpty()) {
            database.update("UPDATE {event_tags} SET available_at = {now+:delay} WHERE event_id = :id", parameters);
        }
    }

    private void end(QueuedEvent event, EventStatus status, Collection<String> errors) {
        finalizer.finalizePulled(event.id(), status, new Ended(event.workerId(), event.attempts(), errors));
        afterCommit(() -> listener.finalized(database.shard().name(), 1));
    }

    private Optional<EventAttempt> recorded(WorkerClaim claim, @Nullable Integer attempt, AttemptAction action) {
        return attempts.last(claim.eventId(), claim.workerId(), attempt, action);
    }

    private EventAttempt write(QueuedEvent event, Line line) {
        attempts.write(line);
        afterCommit(() -> listener.worked(database.shard().name(), line.action(), event.tags()));
        return attempts.last(line.eventId(), String.valueOf(line.workerId()), line.attempt(), line.action())
            .orElseThrow();
    }

    private static void afterCommit(Runnable tell) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                tell.run();
            }
        });
    }

    private static Line line(QueuedEvent event, WorkerClaim claim, AttemptAction action, WorkReport report,
            @Nullable String error, @Nullable Long retryMicros) {
        return new Line(event.id(), claim.workerId(), action, event.attempts(), report.statusCode(),
                report.executionTimeMs(), null, error, retryMicros);
    }

    private static LostClaimException lost(WorkerClaim claim, QueuedEvent event) {
        String attempt = claim.attempt() == null ? "" : " in attempt " + claim.attempt();
        return new LostClaimException(
                "Worker '" + claim.workerId() + "' does not hold event " + claim.eventId() + attempt + ": it is "
                        + event.status() + (event.workerId() == null ? "" : " by '" + event.workerId() + "'")
                        + ", attempt " + event.attempts() + ". Nothing was written; drop the work.");
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }

}
