package io.eventqueue.handling;

import io.eventqueue.NotificationState;
import io.eventqueue.jdbc.Database;
import io.eventqueue.log.Finalizer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Ends deliveries older than the retention window, whoever should have handled them: also
 * rows of handlers no node knows any more. A delivery somebody is working on is left
 * alone. Attempts stay as they were.
 */
final class Expiry {

    private record Expired(UUID id, UUID eventId, String handler, boolean replayed, boolean holds, boolean inLane) {
    }

    private static final List<NotificationState> OPEN = List.of(NotificationState.PENDING, NotificationState.FAILED,
            NotificationState.WAITING);

    private final Database database;

    private final Finalizer finalizer;

    private final Lanes lanes;

    private final Precedence precedence;

    private final long windowMicros;

    Expiry(Database database, Duration retentionWindow, Lanes lanes, Precedence precedence) {
        this.database = database;
        this.finalizer = new Finalizer(database);
        this.lanes = lanes;
        this.precedence = precedence;
        this.windowMicros = retentionWindow.toNanos() / 1000;
    }

    /** Expires at most {@code limit} notifications; returns how many. */
    int expire(int limit) {
        int expired = 0;
        for (NotificationState state : OPEN) {
            expired += expired < limit ? expire(state, limit - expired) : 0;
        }
        return expired;
    }

    /** One state at a time: the index is ordered by date within a state. */
    private int expire(NotificationState state, int limit) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("state", state.name());
        parameters.put("window", -windowMicros);
        parameters.put("limit", limit);
        return end(
                """
                        SELECT id, event_id, handler_name, replayed_after, holds, lane FROM {event_notifications} {index:event_notifications_open}
                        WHERE state = :state AND state IN ('PENDING', 'FAILED', 'WAITING') AND {open_since} <= {now+:window}
                            AND (owner IS NULL OR lease_until < {now})
                        ORDER BY {open_since} LIMIT :limit FOR UPDATE SKIP LOCKED""",
                parameters, "older than the retention window");
    }

    /** Ends the open deliveries of a retired handler. */
    int expireOf(String handlerName, int limit) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("name", handlerName);
        parameters.put("limit", limit);
        return end(
                """
                        SELECT id, event_id, handler_name, replayed_after, holds, lane FROM {event_notifications} {index:event_notifications_due}
                        WHERE {open_handler} = :name AND state IN ('PENDING', 'FAILED') AND (owner IS NULL OR lease_until < {now})
                        ORDER BY next_retry_at LIMIT :limit FOR UPDATE SKIP LOCKED""",
                parameters, "its handler was retired");
    }

    private int end(String selection, Map<String, Object> parameters, String reason) {
        return database.inOwnTransaction(() -> {
            List<Expired> expired = database.steadyQuery(selection, parameters, true, this::expired);
            if (expired.isEmpty()) {
                return 0;
            }
            List<UUID> events = expired.stream().map(Expired::eventId).distinct().sorted().toList();
            database.query("SELECT id FROM {events} WHERE id {any:ids} ORDER BY id FOR UPDATE",
                    Map.of("ids", database.dialect().ids(events)), (rs, row) -> row);
            database.update(
                    """
                            UPDATE {event_notifications} SET state = 'EXPIRED', owner = NULL, lease_until = NULL, updated_date = {now},
                                last_error = COALESCE(last_error, :reason)
                            WHERE id {any:ids}""",
                    Map.of("ids", database.dialect().ids(expired.stream().map(Expired::id).toList()), "reason",
                            reason));
            release(expired);
            List<UUID> logged = expired.stream().filter(Expired::replayed).map(Expired::eventId).distinct().toList();
            if (!logged.isEmpty()) {
                finalizer.correctLogged(logged);
            }
            finalizer.finalizeFinished(events);
            return expired.size();
        });
    }

    private void release(List<Expired> expired) {
        List<Expired> holding = expired.stream().filter(Expired::holds).toList();
        if (!holding.isEmpty()) {
            precedence.attemptEnded(holding.stream().map(Expired::id).toList(),
                    holding.stream().map(Expired::eventId).distinct().toList());
        }
        lanes.ended(expired.stream()
            .filter(Expired::inLane)
            .collect(Collectors.groupingBy(Expired::handler, Collectors.mapping(Expired::id, Collectors.toList()))));
    }

    private Expired expired(ResultSet rs, int row) throws SQLException {
        return new Expired(database.dialect().id(rs, "id"), database.dialect().id(rs, "event_id"),
                rs.getString("handler_name"), rs.getObject("replayed_after") != null, rs.getBoolean("holds"),
                rs.getString("lane") != null);
    }

}
