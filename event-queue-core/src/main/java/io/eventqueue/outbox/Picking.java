package io.eventqueue.outbox;

import io.eventqueue.QueuedEvent;
import io.eventqueue.handling.AbandonedPulls;
import io.eventqueue.handling.Subscriptions;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.EventRows;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Hands out events to workers, on one database, in a transaction of its own:
 *
 * <ol>
 * <li>find the lanes that have something due: the event types nobody subscribed to, or
 * the pairs of wanted tag and such a type. Each costs one step along an index, however
 * many events wait in it or in the lanes of handlers;
 * <li>from the lane with the oldest event on, lock due PENDING events, oldest first,
 * skipping those somebody else has locked, until there are enough;
 * <li>mark them PROCESSING with worker, lease and attempts + 1, and write the audit.
 * </ol>
 *
 * If the first step sees a lease that has ended, those events are taken back before.
 */
final class Picking {

    private static final String DUE_OF_TYPE = """
            FROM {events} e {index:events_pending}
            WHERE e.{pending_type} = :type AND e.status = 'PENDING' AND e.available_at <= {now}
            ORDER BY e.{pending_type}, e.available_at, e.seq LIMIT :limit {skip_locked:e}""";

    private static final String DUE_OF_TAG = """
            FROM {event_tags} t {index:event_tags_pull} INNER JOIN {events} e ON e.id = t.event_id
            WHERE t.tag = :tag AND t.event_type = :type AND t.available_at <= {now} AND e.status = 'PENDING'
            ORDER BY t.tag, t.event_type, t.available_at, t.event_id LIMIT :limit {skip_locked:e}""";

    private static final String FIRST_OF_TYPE = """
            (SELECT e.available_at FROM {events} e {index:events_pending}
            WHERE e.{pending_type} = l.event_type AND e.status = 'PENDING' AND e.available_at <= {now}
            ORDER BY e.{pending_type}, e.available_at LIMIT 1)""";

    private static final String FIRST_OF_TAG = """
            (SELECT t.available_at FROM {event_tags} t {index:event_tags_pull}
            WHERE t.tag = l.tag AND t.event_type = l.event_type AND t.available_at <= {now}
            ORDER BY t.tag, t.event_type, t.available_at LIMIT 1)""";

    /** The row with an empty type says that a lease has ended. */
    private static final String LANES = """
            SELECT %s AS tag, l.event_type, %s AS due FROM %s l
            WHERE NOT EXISTS (SELECT 1 FROM {event_handlers} h WHERE h.event_type = l.event_type AND %s)
            UNION ALL (SELECT '' AS tag, '' AS event_type, p.{processing_until} AS due
                FROM {events} p {index:events_processing}
                WHERE p.status = 'PROCESSING' AND p.{processing_until} <= {now} AND p.handler_name IS NULL
                ORDER BY p.{processing_until} LIMIT 1)""";

    private static final String TYPE_LANES = LANES.formatted("''", FIRST_OF_TYPE, "{pending_types}",
            Subscriptions.ACTIVE);

    private static final String TAG_LANES = LANES.formatted("l.tag", FIRST_OF_TAG, "{tag_types}", Subscriptions.ACTIVE);

    private static final String PICKED = """
            status = 'PROCESSING', worker_id = :worker, lease_until = {now+:lease}, attempts = attempts + 1,
            updated_at = {now}""";

    private static final Comparator<QueuedEvent> OLDEST_FIRST = Comparator.comparing(QueuedEvent::availableAt)
        .thenComparing(event -> event.id().toString());

    private record Lane(String tag, String type, @Nullable Instant due) {

        boolean isAbandonment() {
            return type.isEmpty();
        }

    }

    private final Database database;

    private final EventRows rows;

    private final AbandonedPulls abandoned;

    private final long windowMicros;

    Picking(Database database, EventRows rows, AbandonedPulls abandoned, Duration retentionWindow) {
        this.database = database;
        this.rows = rows;
        this.abandoned = abandoned;
        this.windowMicros = retentionWindow.toNanos() / 1000;
    }

    /** Returns at most as many events as asked for, as they stand now; never waits. */
    List<QueuedEvent> pick(PollRequest request, int max) {
        @Nullable List<QueuedEvent> picked = database.inOwnTransaction(() -> pick(request, max, true));
        if (picked == null) {
            abandoned.takeBack();
            picked = database.inOwnTransaction(() -> pick(request, max, false));
        }
        return picked == null ? List.of() : picked;
    }

    /** Null if there is something to take back first. */
    private @Nullable List<QueuedEvent> pick(PollRequest request, int max, boolean mindAbandonment) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("window", -windowMicros);
        parameters.put("worker", request.workerId());
        parameters.put("lease", request.lease().toNanos() / 1000);
        List<Lane> lanes = lanes(request, parameters);
        if (mindAbandonment && lanes.stream().anyMatch(Lane::isAbandonment)) {
            return null;
        }
        List<QueuedEvent> picked = new ArrayList<>();
        for (Lane lane : lanes) {
            if (picked.size() < max && lane.due() != null && !lane.isAbandonment()) {
                parameters.put("tag", lane.tag());
                parameters.put("type", lane.type());
                parameters.put("limit", max - picked.size());
                String due = request.tags().isEmpty() ? DUE_OF_TYPE : DUE_OF_TAG;
                List<QueuedEvent> more = database.dialect().writesInQueries() ? inOneStatement(due, parameters)
                        : stepByStep(due, parameters);
                more.stream().sorted(OLDEST_FIRST).forEach(picked::add);
            }
        }
        return picked;
    }

    private List<Lane> lanes(PollRequest request, Map<String, Object> parameters) {
        if (!request.tags().isEmpty()) {
            parameters.put("tags", database.dialect().strings(request.tags()));
        }
        List<Lane> lanes = database.steadyQuery(request.tags().isEmpty() ? TYPE_LANES : TAG_LANES, parameters, false,
                (rs, row) -> new Lane(rs.getString("tag"), rs.getString("event_type"),
                        database.dialect().instantOrNull(rs, "due")));
        lanes.sort(Comparator.comparing(Lane::due, Comparator.nullsLast(Comparator.naturalOrder())));
        return lanes;
    }

    private List<QueuedEvent> inOneStatement(String due, Map<String, Object> parameters) {
        return database.query("""
                WITH due AS MATERIALIZED (SELECT e.id %s),
                picked AS (
                    UPDATE {events} SET %s WHERE id = ANY(ARRAY(SELECT id FROM due)) RETURNING *),
                audit AS (
                    INSERT INTO {event_attempts} (event_id, worker_id, action, attempt, created_at)
                    SELECT id, worker_id, 'PICKED', attempts, {now} FROM picked)
                SELECT * FROM picked
                """.formatted(due, PICKED), parameters, (rs, row) -> rows.live(database.dialect(), rs));
    }

    private List<QueuedEvent> stepByStep(String due, Map<String, Object> parameters) {
        List<UUID> ids = database.query("SELECT e.id " + due, parameters, (rs, row) -> database.dialect().id(rs, "id"));
        if (ids.isEmpty()) {
            return List.of();
        }
        parameters.put("ids", database.dialect().ids(ids));
        database.update("UPDATE {events} SET " + PICKED + " WHERE id {any:ids}", parameters);
        database.update("""
                INSERT INTO {event_attempts} (event_id, worker_id, action, attempt, created_at)
                SELECT id, worker_id, 'PICKED', attempts, {now} FROM {events} WHERE id {any:ids}""", parameters);
        return database.query("SELECT * FROM {events} WHERE id {any:ids}", parameters,
                (rs, row) -> rows.live(database.dialect(), rs));
    }

}
