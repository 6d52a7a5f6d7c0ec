package io.eventqueue.handling;

import io.eventqueue.jdbc.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The claim protocol on one database. A claim is a lease in the row itself:
 *
 * <ol>
 * <li>claim: owner = this node, attempts + 1, lease_until and next_retry_at = now +
 * lease, in one transaction with SKIP LOCKED. Setting next_retry_at hides the row from
 * other nodes, and shows it again by itself when the lease ends;
 * <li>renew: both moved on, as long as the handler runs;
 * <li>any outcome clears the owner. It is written only where id, owner and attempts still
 * fit.
 * </ol>
 */
final class Claims {

    private static final String OPEN = "state IN ('PENDING', 'FAILED')";

    /** How many rows a claim in order looks at together, and how often it goes on. */
    private static final int LOOK_AHEAD = 200;

    private static final int LOOKS_AHEAD = 50;

    private static final String DUE = """
            FROM {event_notifications} {index:event_notifications_due}
            WHERE {open_handler} = :name AND state IN ('PENDING', 'FAILED') AND next_retry_at <= {now}
                AND available_at > {now+:window}
            ORDER BY next_retry_at, id LIMIT :limit FOR UPDATE SKIP LOCKED""";

    private final Database database;

    private final EventClaims onEvents;

    private final String node;

    private final long leaseMicros;

    private final long windowMicros;

    Claims(Database database, EventClaims onEvents, String node, Duration lease, Duration retentionWindow) {
        this.database = database;
        this.onEvents = onEvents;
        this.node = node;
        this.leaseMicros = lease.toNanos() / 1000;
        this.windowMicros = retentionWindow.toNanos() / 1000;
    }

    /** Which of {@code names} have rows that are due and whose handler is not paused. */
    List<String> namesWithDueRows(Collection<String> names) {
        // One look into the index per name: as EXISTS it could become a join over all
        // that is due.
        Map<String, Object> parameters = Map.of("names", database.dialect().strings(names));
        return database.steadyTransaction("""
                SELECT DISTINCT h.handler_name FROM {event_handlers} h
                WHERE h.handler_name {any:names} AND h.paused = FALSE AND (
                    SELECT n.next_retry_at FROM {event_notifications} n {index:event_notifications_due}
                    WHERE n.{open_handler} = h.handler_name AND n.state IN ('PENDING', 'FAILED')
                    ORDER BY n.next_retry_at LIMIT 1) <= {now}
                """, parameters, true, (rs, row) -> rs.getString(1));
    }

    /**
     * Claims at most {@code limit} due rows of one handler name, oldest due time first.
     */
    List<Claim> claim(String handlerName, int limit) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("name", handlerName);
        parameters.put("limit", limit);
        parameters.put("node", node);
        parameters.put("lease", leaseMicros);
        parameters.put("window", -windowMicros);
        return database.inOwnTransaction(
                () -> database.dialect().writesInQueries() ? claimInOneStatement(parameters) : claimInTwo(parameters));
    }

    private List<Claim> claimInOneStatement(Map<String, Object> parameters) {
        // Materialized, so that exactly the selected rows are claimed; by id, so that no
        // join can choose its plan.
        return database.steadyQuery("""
                WITH due AS MATERIALIZED (
                    SELECT id, owner FROM {event_notifications}
                    WHERE handler_name = :name AND state IN ('PENDING', 'FAILED') AND next_retry_at <= {now}
                        AND available_at > {now+:window}
                    ORDER BY next_retry_at, id LIMIT :limit FOR UPDATE SKIP LOCKED)
                UPDATE {event_notifications} n SET owner = :node, attempts = attempts + 1, lease_until = {now+:lease},
                    next_retry_at = {now+:lease}, updated_date = {now}
                WHERE n.id = ANY(ARRAY(SELECT id FROM due))
                RETURNING %s, (SELECT d.owner FROM due d WHERE d.id = n.id AND d.owner IS NOT NULL) AS abandoned_by
                """.formatted(Claim.COLUMNS), parameters, false,
                (rs, row) -> Claim.read(database.dialect(), rs, rs.getInt("attempts"), rs.getString("abandoned_by")));
    }

    private List<Claim> claimInTwo(Map<String, Object> parameters) {
        List<Claim> due = database.query("SELECT " + Claim.COLUMNS + ", owner " + DUE, parameters, this::unclaimed);
        take(due);
        return due;
    }

    /**
     * As {@link #claim}, for a handler that takes the events of one key in order: passes
     * over rows whose turn has not come.
     */
    List<Claim> claimInOrder(String handlerName, int limit, Lanes lanes) {
        for (int i = 0; i < LOOKS_AHEAD; i++) {
            Turn turn = database.inOwnTransaction(() -> claimFirst(handlerName, limit, lanes));
            if (!turn.claims().isEmpty() || turn.passedOver() == 0) {
                return turn.claims();
            }
        }
        return List.of();
    }

    private record Turn(List<Claim> claims, int passedOver) {
    }

    private Turn claimFirst(String handlerName, int limit, Lanes lanes) {
        List<UUID> due = database.query("SELECT id " + DUE,
                Map.of("name", handlerName, "limit", Math.max(limit, LOOK_AHEAD), "window", -windowMicros),
                (rs, row) -> database.dialect().id(rs, "id"));
        List<UUID> first = due.isEmpty() ? due : lanes.firstOf(handlerName, due);
        if (first.isEmpty()) {
            return new Turn(List.of(), due.size());
        }
        List<UUID> chosen = first.subList(0, Math.min(limit, first.size()));
        List<Claim> claims = database.query(
                "SELECT " + Claim.COLUMNS + ", owner FROM {event_notifications} WHERE id {any:ids}",
                Map.of("ids", database.dialect().ids(chosen)), this::unclaimed);
        take(claims);
        return new Turn(claims, due.size() - first.size());
    }

    private Claim unclaimed(ResultSet rs, int row) throws SQLException {
        return Claim.read(database.dialect(), rs, rs.getInt("attempts") + 1, rs.getString("owner"));
    }

    private void take(List<Claim> rows) {
        if (!rows.isEmpty()) {
            database.update("""
                    UPDATE {event_notifications} SET owner = :node, attempts = attempts + 1, lease_until = {now+:lease},
                        next_retry_at = {now+:lease}, updated_date = {now}
                    WHERE id {any:ids}""", Map.of("ids", database.dialect().ids(rows.stream().map(Claim::id).toList()),
                    "node", node, "lease", leaseMicros));
        }
    }

    /** Turns claims on events into claims on their notifications. */
    void writeNotifications(Collection<Claim> claims) {
        database.inOwnTransaction(() -> onEvents.toNotifications(claims));
    }

    /**
     * Extends the leases this node still holds; a claim on an event becomes one on its
     * notification. Rows it has lost are left alone.
     */
    int renew(Collection<Claim> claims) {
        List<UUID> ids = claims.stream().map(Claim::id).toList();
        return database.inOwnTransaction(() -> {
            onEvents.toNotifications(claims);
            return database.update("""
                    UPDATE {event_notifications} SET lease_until = {now+:lease}, next_retry_at = {now+:lease}
                    WHERE id {any:ids} AND owner = :node AND\s""" + OPEN,
                    Map.of("ids", database.dialect().ids(ids), "node", node, "lease", leaseMicros));
        });
    }

    /**
     * Hands unfinished claims back, due at once for any node. One that was never started
     * does not count as an attempt.
     */
    void handBack(Collection<Claim> claims, boolean started) {
        List<Map<String, Object>> batch = new ArrayList<>();
        for (Claim claim : claims) {
            batch.add(Map.of("id", database.dialect().id(claim.id()), "node", node, "attempt", claim.attempt(),
                    "uncounted", started ? 0 : 1));
        }
        database.inOwnTransaction(() -> {
            onEvents.toNotifications(claims);
            return database.updateBatch("""
                    UPDATE {event_notifications} SET owner = NULL, lease_until = NULL, next_retry_at = {now},
                        attempts = attempts - :uncounted, updated_date = {now}
                    WHERE id = :id AND owner = :node AND attempts = :attempt AND\s""" + OPEN, batch);
        });
    }

}
