package io.eventqueue.handling;

import io.eventqueue.EventQueueListener;
import io.eventqueue.NotificationState;
import io.eventqueue.jdbc.Database;
import io.eventqueue.log.Finalizer;
import io.eventqueue.loop.Signals.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.springframework.dao.DuplicateKeyException;

/**
 * Writes outcomes of many handlers in one transaction, together with the audit of
 * failures, the start of handlers that waited for these and the finalization of events
 * that are done. Every write is fenced by id, owner and attempt: one that lost its claim
 * changes nothing and is counted.
 */
final class Outcomes {

    private static final String FENCE = "owner = :node AND attempts = :attempt AND state IN ('PENDING', 'FAILED')";

    private final Database database;

    private final Finalizer finalizer;

    private final Lanes lanes;

    private final Precedence precedence;

    private final EventClaims onEvents;

    private final String node;

    private final EventQueueListener listener;

    Outcomes(Database database, EventClaims onEvents, String node, EventQueueListener listener, Lanes lanes,
            Precedence precedence) {
        this.database = database;
        this.finalizer = new Finalizer(database);
        this.lanes = lanes;
        this.precedence = precedence;
        this.onEvents = onEvents;
        this.node = node;
        this.listener = listener;
    }

    private record Written(int fenced, int released, int finalized) {
    }

    void write(List<Outcome> outcomes) {
        List<Outcome> decided = outcomes.stream().filter(o -> o.state() != null && !o.written()).toList();
        if (decided.isEmpty()) {
            return;
        }
        Written written;
        try {
            written = database.inOwnTransaction(() -> writeAll(decided));
        }
        catch (DuplicateKeyException e) {
            // An event claimed whole has a notification from an earlier fan-out.
            written = database.inOwnTransaction(() -> {
                onEvents.toNotifications(decided.stream().map(Outcome::claim).toList());
                return writeAll(decided);
            });
        }
        report(written);
    }

    /**
     * Marks one success in the caller's transaction. False: the claim was lost, so the
     * caller must roll back.
     */
    boolean succeedInCurrentTransaction(Claim claim) {
        List<UUID> event = List.of(claim.eventId());
        List<UUID> logged = claim.replayedAfter() == null ? List.of() : event;
        finalizer.lockInCallersTransaction(claim.eventId());
        lock(List.of(), logged);
        if (succeed(List.of(claim), claim.attempt()) == 0) {
            return false;
        }
        release(List.of(claim), List.of(claim));
        finish(event, logged);
        return true;
    }

    /** What {@link #succeedInCurrentTransaction} wrote is committed. */
    void committed(Claim claim) {
        if (claim.holds() || claim.lane() != null) {
            database.shard().signals().raise(Signal.NOTIFICATIONS);
        }
    }

    void countFenced() {
        listener.fenced(database.shard().name(), 1);
    }

    private Written writeAll(List<Outcome> all) {
        Set<UUID> finished = finalizeClaimed(all);
        List<Outcome> outcomes = all.stream().filter(o -> !finished.contains(o.claim().eventId())).toList();
        Written rest = outcomes.isEmpty() ? new Written(0, 0, 0) : writeOnNotifications(outcomes);
        return new Written(rest.fenced(), rest.released(), rest.finalized() + finished.size());
    }

    private Set<UUID> finalizeClaimed(List<Outcome> outcomes) {
        List<Claim> succeeded = outcomes.stream()
            .filter(o -> o.claim().onEvent() && o.state() == NotificationState.SUCCEEDED)
            .map(Outcome::claim)
            .toList();
        return succeeded.isEmpty() ? Set.of() : onEvents.finish(succeeded);
    }

    private Written writeOnNotifications(List<Outcome> outcomes) {
        onEvents.toNotifications(outcomes.stream().map(Outcome::claim).toList());
        List<UUID> events = eventsOf(outcomes.stream().filter(o -> terminal(o) || o.claim().holds()));
        List<UUID> logged = eventsOf(outcomes.stream().filter(o -> terminal(o) && o.claim().replayedAfter() != null));
        lock(events, logged);
        Map<Integer, List<Claim>> succeeded = new TreeMap<>();
        List<Outcome> others = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            if (outcome.state() == NotificationState.SUCCEEDED) {
                succeeded.computeIfAbsent(outcome.claim().attempt(), a -> new ArrayList<>()).add(outcome.claim());
            }
            else {
                others.add(outcome);
            }
        }
        int changed = 0;
        for (Map.Entry<Integer, List<Claim>> bucket : succeeded.entrySet()) {
            changed += succeed(bucket.getValue(), bucket.getKey());
        }
        changed += fail(others);
        int released = release(outcomes.stream().map(Outcome::claim).toList(),
                outcomes.stream().filter(Outcomes::terminal).map(Outcome::claim).toList());
        return new Written(outcomes.size() - changed, released, finish(events, logged));
    }

    /**
     * Whoever lost a claim may release others all the same: then the end of its lease was
     * the end of its attempt, and {@link Lanes} only asks who is first.
     */
    private int release(List<Claim> attempted, List<Claim> ended) {
        List<Claim> holding = attempted.stream().filter(Claim::holds).toList();
        int released = holding.isEmpty() ? 0 : precedence.attemptEnded(holding.stream().map(Claim::id).toList(),
                holding.stream().map(Claim::eventId).distinct().toList());
        Map<String, List<UUID>> inLanes = new TreeMap<>();
        for (Claim claim : ended) {
            if (claim.lane() != null) {
                inLanes.computeIfAbsent(claim.handlerName(), name -> new ArrayList<>()).add(claim.id());
            }
        }
        return released + lanes.ended(inLanes);
    }

    private static List<UUID> eventsOf(Stream<Outcome> outcomes) {
        return outcomes.map(o -> o.claim().eventId()).distinct().sorted().toList();
    }

    /**
     * @param logged those of the events that may have been finalized before, because a
     * replayed delivery of theirs ends now
     */
    private void lock(List<UUID> events, List<UUID> logged) {
        if (!events.isEmpty()) {
            finalizer.lock(events);
        }
        if (!logged.isEmpty()) {
            finalizer.lockLogged(logged);
        }
    }

    private int finish(List<UUID> events, List<UUID> logged) {
        if (!logged.isEmpty()) {
            finalizer.correctLogged(logged);
        }
        return events.isEmpty() ? 0 : finalizer.finalizeFinished(events);
    }

    private static boolean terminal(Outcome outcome) {
        return outcome.state() != null && outcome.state().isTerminal();
    }

    private int succeed(List<Claim> claims, int attempt) {
        return database.update(
                """
                        UPDATE {event_notifications} SET state = 'SUCCEEDED', owner = NULL, lease_until = NULL, updated_date = {now}
                        WHERE id {any:ids} AND\s"""
                        + FENCE,
                Map.of("ids", database.dialect().ids(claims.stream().map(Claim::id).toList()), "node", node, "attempt",
                        attempt));
    }

    private int fail(List<Outcome> outcomes) {
        List<Map<String, Object>> rows = stillHeld(outcomes).stream().map(this::row).toList();
        if (rows.isEmpty()) {
            return 0;
        }
        database.updateBatch("""
                INSERT INTO {event_attempts} (event_id, notification_id, handler_name, worker_id, action, attempt,
                    execution_time_ms, error_class, error_message, error_stack, trace_id, created_at)
                VALUES (:eventId, :id, :handler, :node, 'FAILED', :attempt, :millis, :class, :message, :stack, :trace,
                    {now})
                """, rows);
        database.updateBatch("""
                UPDATE {event_notifications} SET state = :state, owner = NULL, lease_until = NULL,
                    next_retry_at = {now+:retry}, last_error = :error, updated_date = {now}
                WHERE id = :id AND\s""" + FENCE, rows);
        return rows.size();
    }

    /**
     * Locks the rows, so that the audit and the new state are written both or neither.
     */
    private List<Outcome> stillHeld(List<Outcome> outcomes) {
        if (outcomes.isEmpty()) {
            return List.of();
        }
        Map<UUID, Integer> held = new HashMap<>();
        database.query("""
                SELECT id, attempts FROM {event_notifications}
                WHERE id {any:ids} AND owner = :node AND state IN ('PENDING', 'FAILED') ORDER BY id FOR UPDATE
                """, Map.of("ids", database.dialect().ids(outcomes.stream().map(o -> o.claim().id()).toList()), "node",
                node), (rs, row) -> held.put(database.dialect().id(rs, "id"), rs.getInt("attempts")));
        return outcomes.stream().filter(o -> Objects.equals(held.get(o.claim().id()), o.claim().attempt())).toList();
    }

    private Map<String, Object> row(Outcome outcome) {
        Claim claim = outcome.claim();
        Map<String, Object> row = new HashMap<>();
        row.put("id", database.dialect().id(claim.id()));
        row.put("node", node);
        row.put("attempt", claim.attempt());
        row.put("state", String.valueOf(outcome.state()));
        row.put("retry", outcome.retryIn().toNanos() / 1000);
        row.put("eventId", database.dialect().id(claim.eventId()));
        row.put("handler", claim.handlerName());
        row.put("millis", outcome.took().toMillis());
        Failure failure = outcome.failure();
        row.put("error", failure == null ? null : failure.summary());
        row.put("class", failure == null ? null : failure.errorClass());
        row.put("message", failure == null ? null : failure.message());
        row.put("stack", failure == null ? null : failure.stack());
        row.put("trace", failure == null ? null : failure.traceId());
        return row;
    }

    private void report(Written written) {
        if (written.released() > 0) {
            database.shard().signals().raise(Signal.NOTIFICATIONS);
        }
        if (written.fenced() > 0) {
            listener.fenced(database.shard().name(), written.fenced());
        }
        if (written.finalized() > 0) {
            listener.finalized(database.shard().name(), written.finalized());
        }
    }

}
