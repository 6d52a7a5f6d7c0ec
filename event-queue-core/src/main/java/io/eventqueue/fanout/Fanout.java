package io.eventqueue.fanout;

import io.eventqueue.handling.Claim;
import io.eventqueue.handling.Subscriptions;
import io.eventqueue.handling.Precedence;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.Dialect;
import io.eventqueue.jdbc.EventRows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Fan-out of one batch on one database, all in one transaction:
 *
 * <ol>
 * <li>lock the oldest due PENDING events of one type, skipping those another node has
 * locked;
 * <li>insert one notification per event and subscription in {@code event_handlers}, in
 * the database;
 * <li>mark the events DELIVERED.
 * </ol>
 *
 * Notifications can be inserted already claimed by this node, which saves the claim when
 * it has a handler free.
 */
final class Fanout {

    private static final String ACTIVE = "h.event_type = :type AND " + Subscriptions.ACTIVE;

    /**
     * The subscriptions of the type, each with the lowest and the highest priority number
     * of all. A handler that is paused, or that no node has, makes no other wait.
     */
    private static final String SUBSCRIPTIONS = """
            (SELECT h.*, CASE WHEN %1$s THEN TRUE ELSE FALSE END AS attended,
                COALESCE(MIN(CASE WHEN %1$s THEN h.priority END) OVER (), h.priority) AS first_rank,
                MAX(h.priority) OVER () AS last_rank
            FROM {event_handlers} h WHERE %2$s) h
            """.formatted(Precedence.ATTENDED, ACTIVE);

    /**
     * What this node takes at once: not what has to wait for others, or for its turn, nor
     * what is so old that it expires.
     */
    private static final String AT_ONCE = """
            h.handler_name {any:mine} AND h.paused = FALSE AND h.priority <= h.first_rank
                AND (h.ordered = FALSE OR e.event_key IS NULL) AND e.available_at > {now+:window}""";

    private static final String TARGET = """
            INSERT INTO {event_notifications} (id, event_id, handler_name, event_seq, %3$s, state, priority, holds, lane,
                attempts, owner, lease_until, next_retry_at, created_date, updated_date)
            SELECT %1$s, e.id, h.handler_name, e.seq, %4$s,
                CASE WHEN h.priority > h.first_rank THEN 'WAITING' ELSE 'PENDING' END, h.priority,
                CASE WHEN h.attended AND h.priority < h.last_rank THEN TRUE ELSE FALSE END,
                CASE WHEN h.ordered THEN e.event_key END,
                CASE WHEN %2$s THEN 1 ELSE 0 END,
                CASE WHEN %2$s THEN :node END,
                CASE WHEN %2$s THEN {now+:lease} END,
                CASE WHEN %2$s THEN {now+:lease} ELSE {now} END, {now}, {now}
            """;

    /** What one batch did. */
    record Batch(int events, int notifications, List<Claim> claims) {
    }

    /** Who claims at once: the node, its lease, and the handlers it has room for. */
    record DirectClaim(String node, Duration lease, Collection<String> handlers) {

        static final DirectClaim NONE = new DirectClaim("", Duration.ZERO, Set.of(""));

    }

    private final Database database;

    private final long windowMicros;

    Fanout(Database database, Duration retentionWindow) {
        this.database = database;
        this.windowMicros = retentionWindow.toNanos() / 1000;
    }

    /**
     * An event type that has a due event, how many subscriptions it has, and whether its
     * oldest event is one that expires.
     */
    record Work(String type, int subscriptions, boolean overdue) {
    }

    List<Work> typesWithWork() {
        return database.steadyTransaction("""
                SELECT w.event_type, w.subscriptions, CASE WHEN w.oldest > {now+:window} THEN FALSE ELSE TRUE END
                FROM (SELECT h.event_type, count(*) AS subscriptions, (
                        SELECT e.available_at FROM {events} e {index:events_pending}
                        WHERE e.{pending_type} = h.event_type AND e.status = 'PENDING'
                        ORDER BY e.available_at LIMIT 1) AS oldest
                    FROM {event_handlers} h WHERE %s GROUP BY h.event_type) w
                WHERE w.oldest <= {now}
                """.formatted(Subscriptions.ACTIVE), Map.of("window", -windowMicros), true,
                (rs, row) -> new Work(rs.getString(1), rs.getInt(2), rs.getBoolean(3)));
    }

    Batch fanOut(String type, int limit, DirectClaim direct) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("type", type);
        parameters.put("limit", limit);
        parameters.put("window", -windowMicros);
        parameters.put("fresh", Precedence.FRESH_MICROS);
        parameters.put("mine", database.dialect().strings(direct.handlers()));
        parameters.put("node", direct.node());
        parameters.put("lease", direct.lease().toNanos() / 1000);
        return database.inOwnTransaction(
                () -> database.dialect().writesInQueries() ? inOneStatement(parameters) : stepByStep(parameters));
    }

    private Batch inOneStatement(Map<String, Object> parameters) {
        String sql = """
                WITH e AS MATERIALIZED (
                    SELECT p.* FROM {events} p
                    WHERE p.event_type = :type AND p.status = 'PENDING' AND p.available_at <= {now}
                        AND EXISTS (SELECT 1 FROM {event_handlers} h WHERE %s)
                    ORDER BY p.available_at, p.seq LIMIT :limit FOR UPDATE OF p SKIP LOCKED),
                delivered AS (
                    UPDATE {events} d SET status = 'DELIVERED', updated_at = {now} WHERE d.id = ANY(ARRAY(SELECT id FROM e))),
                no_longer_pulled AS (
                    UPDATE {event_tags} SET available_at = NULL
                    WHERE event_id = ANY(ARRAY(SELECT id FROM e WHERE tags IS NOT NULL)))
                """
            .formatted(ACTIVE) + target() + "FROM e CROSS JOIN " + SUBSCRIPTIONS
                + " ON CONFLICT (event_id, handler_name) DO NOTHING RETURNING owner, " + Claim.COLUMNS;
        Set<UUID> events = new HashSet<>();
        List<Claim> claims = new ArrayList<>();
        int notifications = database.steadyQuery(sql, parameters, false, (rs, row) -> {
            events.add(database.dialect().id(rs, "event_id"));
            @Nullable Claim claim = claimIn(rs);
            if (claim != null) {
                claims.add(claim);
            }
            return row;
        }).size();
        return new Batch(events.size(), notifications, claims);
    }

    private Batch stepByStep(Map<String, Object> parameters) {
        Dialect dialect = database.dialect();
        AtomicBoolean tagged = new AtomicBoolean();
        List<UUID> events = database.query("""
                SELECT e.id, e.tags FROM {events} e {index:events_pending}
                WHERE e.{pending_type} = :type AND e.status = 'PENDING' AND e.available_at <= {now}
                ORDER BY e.available_at, e.seq LIMIT :limit FOR UPDATE SKIP LOCKED
                """, parameters, (rs, row) -> {
            tagged.compareAndSet(false, rs.getString("tags") != null);
            return dialect.id(rs, "id");
        });
        if (events.isEmpty()) {
            return new Batch(0, 0, List.of());
        }
        parameters.put("ids", dialect.ids(events));
        int notifications = database
            .update(target() + "FROM {events} e CROSS JOIN " + SUBSCRIPTIONS + " WHERE e.id {any:ids}"
                    + " AND NOT EXISTS (SELECT 1 FROM {event_notifications} x WHERE x.event_id = e.id"
                    + " AND x.handler_name = h.handler_name)", parameters);
        if (notifications == 0) {
            return new Batch(0, 0, List.of());
        }
        database.update("UPDATE {events} SET status = 'DELIVERED', updated_at = {now} WHERE id {any:ids}", parameters);
        if (tagged.get()) {
            database.update("UPDATE {event_tags} SET available_at = NULL WHERE event_id {any:ids}", parameters);
        }
        List<Claim> claims = "".equals(parameters.get("node")) ? List.of()
                : database.query(
                        "SELECT owner, " + Claim.COLUMNS + " FROM {event_notifications}"
                                + " WHERE event_id {any:ids} AND owner = :node AND attempts = 1",
                        parameters, (rs, row) -> Claim.read(dialect, rs, 1, null));
        return new Batch(events.size(), notifications, claims);
    }

    private String target() {
        return TARGET.formatted(database.dialect().notificationId("e.id", "h.handler_name"), AT_ONCE, EventRows.KEPT,
                EventRows.KEPT_OF_E);
    }

    private @Nullable Claim claimIn(ResultSet rs) throws SQLException {
        return rs.getString("owner") == null ? null : Claim.read(database.dialect(), rs, 1, null);
    }

}
