package io.eventqueue.handling;

import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.EventRows;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

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
 * Such a notification has the id of its event: there is no other of that event. Only
 * where one statement can do this; elsewhere no event is ever claimed whole.
 */
public final class EventClaims {

    private static final int RECOVERY_BATCH = 500;

    private final Database database;

    private final String node;

    EventClaims(Database database, String node) {
        this.database = database;
        this.node = node;
    }

    /**
     * Claims due events of a type whose only subscription is {@code handler}, oldest
     * first, but none that is so old that it expires. None if there is another
     * subscription, or if it is paused.
     */
    public List<Claim> claim(String type, String handler, int limit, Duration lease, Duration retentionWindow) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("type", type);
        parameters.put("handler", handler);
        parameters.put("limit", limit);
        parameters.put("node", node);
        parameters.put("lease", lease.toNanos() / 1000);
        parameters.put("window", -retentionWindow.toNanos() / 1000);
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
     * Turns claims of this node on events into claims on their notifications, in the
     * current transaction. Claims that were turned before, or lost, are left alone.
     */
    int toNotifications(Collection<Claim> claims) {
        List<UUID> events = claims.stream().filter(Claim::onEvent).map(Claim::eventId).toList();
        return events.isEmpty() ? 0
                : database
                    .update(turn("p.id = ANY(:ids) AND p.worker_id = :node AND p.handler_name IS NOT NULL ORDER BY p.id"
                            + " FOR UPDATE"), Map.of("ids", database.dialect().ids(events), "node", node));
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
        return database.steadyTransaction(sql, Map.of("limit", RECOVERY_BATCH), true, (rs, row) -> row).size();
    }

    private String turn(String which) {
        return """
                WITH e AS MATERIALIZED (SELECT p.* FROM {events} p WHERE %1$s),
                released AS (
                    UPDATE {events} r SET status = 'DELIVERED', worker_id = NULL, lease_until = NULL, handler_name = NULL,
                        updated_at = {now}
                    WHERE r.id = ANY(ARRAY(SELECT id FROM e)))
                INSERT INTO {event_notifications} (id, event_id, handler_name, event_seq, %2$s, state, attempts, owner,
                    lease_until, next_retry_at, created_date, updated_date)
                SELECT id, id, handler_name, seq, %2$s, 'PENDING', 1, worker_id, lease_until, lease_until, {now}, {now}
                FROM e ON CONFLICT (event_id, handler_name) DO NOTHING
                """
            .formatted(which, EventRows.KEPT);
    }

}
