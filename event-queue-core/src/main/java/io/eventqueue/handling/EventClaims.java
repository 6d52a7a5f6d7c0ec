package io.eventqueue.handling;

import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.EventRows;
import io.eventqueue.log.Finalizer;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Claims on whole events, for the most frequent case: an event with one handler, which
 * this node has, and which succeeds soon. The notification is then written once, when it
 * has succeeded, instead of inserted, claimed and updated.
 *
 * <ol>
 * <li>claim: the event becomes PROCESSING and names its node, handler and lease;
 * <li>success: the event goes to the log and its notification is written as SUCCEEDED, in
 * one statement, if the event still names this node;
 * <li>anything else (failure, a handler that runs long, a node that stops or dies):
 * {@link #toNotifications} writes the notification with the same claim on it, and all
 * goes on as if it had been there from the start.
 * </ol>
 *
 * Such a notification has the id of its event. Only where one statement can do this;
 * elsewhere no event is ever claimed whole.
 *
 * <p>
 * That the handler is the only one was true when the event was claimed. It is asked again
 * when the notification is written: handlers that were subscribed meanwhile get theirs
 * then.
 */
public final class EventClaims {

    private static final int RECOVERY_BATCH = 500;

    /** Subscription {@code h} is another one than that of the claimed event {@code e}. */
    private static final String ANOTHER = """
            h.event_type = e.event_type AND h.handler_name <> e.handler_name AND %s
                AND NOT EXISTS (SELECT 1 FROM {event_handlers} r WHERE r.handler_name = e.handler_name
                    AND r.event_type = e.event_type AND r.replaced_by = h.handler_name)"""
        .formatted(Subscriptions.ACTIVE);

    private static final String WITH_OTHERS = """
            SELECT e.event_type, e.handler_name
            FROM unnest(CAST(:types AS text[]), CAST(:handlers AS text[])) AS e (event_type, handler_name)
            WHERE EXISTS (SELECT 1 FROM {event_handlers} h WHERE %s)""".formatted(ANOTHER);

    private final Database database;

    private final Finalizer finalizer;

    private final String node;

    private final long windowMicros;

    EventClaims(Database database, String node, Duration retentionWindow) {
        this.database = database;
        this.finalizer = new Finalizer(database);
        this.node = node;
        this.windowMicros = retentionWindow.toNanos() / 1000;
    }

    /**
     * Of these event types, those with one subscription, that is neither paused nor
     * ordered; and its handler's name.
     */
    Map<String, String> onlyHandlers(Collection<String> types) {
        Map<String, String> handlers = new HashMap<>();
        database.query("""
                SELECT h.event_type, min(h.handler_name) AS handler_name FROM {event_handlers} h
                WHERE h.event_type {any:types} AND %s GROUP BY h.event_type
                HAVING count(*) = 1 AND bool_and(h.paused = FALSE AND h.ordered = FALSE)
                """.formatted(Subscriptions.ACTIVE),
                Map.of("types", database.dialect().strings(types), "window", -windowMicros),
                (rs, row) -> handlers.put(rs.getString("event_type"), rs.getString("handler_name")));
        return handlers;
    }

    /**
     * Claims due events of a type whose only subscription is {@code handler}, oldest
     * first, but none that is so old that it expires. None if there is another
     * subscription, or if it is paused.
     */
    public List<Claim> claim(String type, String handler, int limit, Duration lease) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("type", type);
        parameters.put("handler", handler);
        parameters.put("limit", limit);
        parameters.put("node", node);
        parameters.put("lease", lease.toNanos() / 1000);
        parameters.put("window", -windowMicros);
        // The array is computed once, so exactly the selected events are claimed.
        return database.steadyTransaction(
                """
                        WITH c AS (
                            UPDATE {events} e SET status = 'PROCESSING', worker_id = :node, lease_until = {now+:lease},
                                handler_name = :handler, updated_at = {now}
                            WHERE e.id = ANY(ARRAY(
                                SELECT p.id FROM {events} p
                                WHERE p.event_type = :type AND p.status = 'PENDING' AND p.available_at <= {now}
                                    AND p.available_at > {now+:window} AND (
                                    SELECT count(*) = 1 AND bool_and(h.handler_name = :handler AND h.paused = FALSE AND h.ordered = FALSE)
                                    FROM {event_handlers} h WHERE h.event_type = :type AND %s)
                                ORDER BY p.available_at, p.seq LIMIT :limit FOR UPDATE SKIP LOCKED))
                            RETURNING e.id, e.id AS event_id, e.handler_name, e.tags, %s),
                        no_longer_pulled AS (
                            UPDATE {event_tags} SET available_at = NULL
                            WHERE event_id = ANY(ARRAY(SELECT event_id FROM c WHERE tags IS NOT NULL)))
                        SELECT * FROM c
                        """
                    .formatted(Subscriptions.ACTIVE, EventRows.KEPT_OF_E),
                parameters, false, (rs, row) -> Claim.read(database.dialect(), rs, 1, null, true));
    }

    /**
     * Ends events whose handler has succeeded, in the current transaction.
     * @return those that are in the log now; not those that were lost, nor those with
     * other handlers by now
     */
    Set<UUID> finish(Collection<Claim> succeeded) {
        Set<Subscription> subscriptions = succeeded.stream().map(Subscription::of).collect(Collectors.toSet());
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("ids", database.dialect().ids(succeeded.stream().map(Claim::eventId).toList()));
        parameters.put("node", node);
        parameters.put("window", -windowMicros);
        parameters.put("types", database.dialect().strings(subscriptions.stream().map(Subscription::type).toList()));
        parameters.put("handlers",
                database.dialect().strings(subscriptions.stream().map(Subscription::handler).toList()));
        return finalizer.finalizeClaimed(WITH_OTHERS, parameters);
    }

    private record Subscription(String type, String handler) {

        static Subscription of(Claim claim) {
            return new Subscription(claim.eventType(), claim.handlerName());
        }

    }

    /** Lets anybody claim these events, which this node has claimed but not begun. */
    void giveUp(Collection<Claim> claims) {
        database.inOwnTransaction(() -> database.update("""
                UPDATE {events} SET status = 'PENDING', worker_id = NULL, lease_until = NULL, handler_name = NULL,
                    updated_at = {now}
                WHERE id {any:ids} AND worker_id = :node AND handler_name IS NOT NULL""",
                Map.of("ids", database.dialect().ids(claims.stream().map(Claim::eventId).toList()), "node", node)));
    }

    /**
     * Turns claims of this node on events into claims on their notifications, in the
     * current transaction. Claims that were turned before, or lost, are left alone.
     */
    int toNotifications(Collection<Claim> claims) {
        List<UUID> events = claims.stream().filter(Claim::onEvent).map(Claim::eventId).toList();
        return events.isEmpty() ? 0
                : database.update(
                        turn("p.id = ANY(:ids) AND p.worker_id = :node AND p.handler_name IS NOT NULL ORDER BY p.id"
                                + " FOR UPDATE"),
                        Map.of("ids", database.dialect().ids(events), "node", node, "window", -windowMicros));
    }

    /**
     * The same for claims whose lease has ended, whoever had them: then they are taken
     * over as any other. Returns how many.
     */
    int recover() {
        if (!database.dialect().writesInQueries()) {
            return 0;
        }
        String sql = turn("p.status = 'PROCESSING' AND p.handler_name IS NOT NULL AND p.lease_until < {now}"
                + " ORDER BY p.lease_until LIMIT :limit" + " FOR UPDATE SKIP LOCKED") + " RETURNING 1";
        return database
            .steadyTransaction(sql, Map.of("limit", RECOVERY_BATCH, "window", -windowMicros), true, (rs, row) -> row)
            .size();
    }

    private String turn(String which) {
        return """
                WITH e AS MATERIALIZED (SELECT p.* FROM {events} p WHERE %1$s),
                released AS (
                    UPDATE {events} r SET status = 'DELIVERED', worker_id = NULL, lease_until = NULL, handler_name = NULL,
                        updated_at = {now}
                    WHERE r.id = ANY(ARRAY(SELECT id FROM e)))
                INSERT INTO {event_notifications} (id, event_id, handler_name, event_seq, %2$s, state, priority, lane,
                    attempts, owner, lease_until, next_retry_at, created_date, updated_date)
                SELECT id, id, handler_name, seq, %2$s, 'PENDING', 0, NULL, 1, worker_id, lease_until, lease_until,
                    {now}, {now}
                FROM e
                UNION ALL
                SELECT %4$s, e.id, h.handler_name, e.seq, %3$s, 'PENDING', h.priority,
                    CASE WHEN h.ordered THEN e.event_key END, 0, NULL, NULL, {now}, {now}, {now}
                FROM e JOIN {event_handlers} h ON %5$s
                ON CONFLICT (event_id, handler_name) DO NOTHING
                """
            .formatted(which, EventRows.KEPT, EventRows.KEPT_OF_E,
                    database.dialect().notificationId("e.id", "h.handler_name"), ANOTHER);
    }

}
