package io.eventqueue.log;

import io.eventqueue.EventSerializer;
import io.eventqueue.EventStatus;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.Dialect;
import io.eventqueue.jdbc.EventRows;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Moves finished events from {@code events} to {@code event_log}: those whose
 * notifications are all terminal, and those a worker has ended. Call it in the
 * transaction that wrote the last outcome, in this order:
 *
 * <ol>
 * <li>{@link #lock} the events, before the notifications are written: two nodes finishing
 * the last two notifications of an event come one after the other, and the second sees
 * what the first wrote;
 * <li>write the notifications;
 * <li>{@link #finalizeFinished}: positions come from a counter row that stays locked
 * until the commit, so they are in commit order.
 * </ol>
 *
 * A delivery that an operator replayed may end after its event was logged. Then, with
 * {@link #lockLogged} and {@link #correctLogged} at the same places, the log row gets the
 * status and errors it would have now. It keeps its position.
 */
public final class Finalizer {

    private static final String EVENT = """
            id, seq, event_type, payload, headers, event_key, tags, title, description, namespace, action_id, action_name,
            action_params, started_date, completion_date, model_id, model_type, event_date, available_at, retry_count,
            max_retries, created_at""";

    private static final String COLUMNS = EVENT + ", worker_id";

    /**
     * Written so that no partial index over open rows can serve it: those may be long, an
     * event's own rows are few.
     */
    private static final String NOTHING_OPEN = """
            e.status = 'DELIVERED' AND NOT EXISTS (SELECT 1 FROM {event_notifications} n
                WHERE n.event_id = e.id AND n.state NOT IN ('SUCCEEDED', 'EXPIRED', 'DEAD', 'DISCARDED'))""";

    private static final String UNSUCCESSFUL = "n.state <> 'SUCCEEDED'";

    /**
     * How an event ends, in SQL over {@code e}: whether it may, and what the log says of
     * it.
     */
    private record End(String condition, String status, String attempts, String errors, String join) {
    }

    /** Who ended an event that was pulled, and what went wrong. */
    public record Ended(@Nullable String workerId, int attempt, Collection<String> errors) {

        private @Nullable String json() {
            if (errors.isEmpty()) {
                return null;
            }
            return JSON.write(errors.stream().map(error -> {
                Map<String, @Nullable Object> line = new LinkedHashMap<>();
                line.put("worker", workerId);
                line.put("attempt", attempt);
                line.put("error", error);
                return line;
            }).toList(), "The list of errors");
        }

    }

    private static final EventSerializer JSON = EventSerializer.standard();

    private final Database database;

    public Finalizer(Database database) {
        this.database = database;
    }

    /**
     * Locks the events, in an order all nodes share. Sends the settings of a steady plan,
     * so it comes first.
     */
    public void lock(Collection<UUID> eventIds) {
        database.steadyQuery("SELECT id FROM {events} WHERE id {any:ids} ORDER BY id FOR UPDATE",
                Map.of("ids", database.dialect().ids(eventIds)), true, (rs, row) -> row);
    }

    /**
     * Locks one event in a transaction of the application's, whatever its isolation: the
     * notifications are locked too, because only a locking read is sure to see, or to
     * fail on, what other nodes finished since the transaction began.
     */
    public void lockInCallersTransaction(UUID eventId) {
        Map<String, Object> parameters = Map.of("id", database.dialect().id(eventId));
        database.query("SELECT id FROM {events} WHERE id = :id FOR UPDATE", parameters, (rs, row) -> row);
        database.query("SELECT id FROM {event_notifications} WHERE event_id = :id ORDER BY id FOR UPDATE", parameters,
                (rs, row) -> row);
    }

    /** Returns how many of the events were finished and are in the log now. */
    public int finalizeFinished(Collection<UUID> eventIds) {
        Map<String, @Nullable Object> parameters = new HashMap<>();
        parameters.put("ids", database.dialect().ids(eventIds));
        return database.dialect().writesInQueries() ? inOneStatement(handledWithJoin(), parameters)
                : stepByStep(handled(), parameters);
    }

    /** As {@link #lock}, for events that may be in the log. */
    public void lockLogged(Collection<UUID> eventIds) {
        database.query("SELECT id FROM {event_log} WHERE id {any:ids} ORDER BY id FOR UPDATE",
                Map.of("ids", database.dialect().ids(eventIds)), (rs, row) -> row);
    }

    /**
     * Recalculates what the log says of events that were logged before these deliveries
     * ended. Call it before {@link #finalizeFinished}, whose rows are right already.
     */
    public void correctLogged(Collection<UUID> eventIds) {
        String failed = failedOf("{event_log}");
        database.update("""
                UPDATE {event_log} SET
                    status = CASE WHEN EXISTS (SELECT 1 %s) THEN 'COMPLETED_WITH_ERRORS' ELSE 'COMPLETED' END,
                    errors = CASE WHEN EXISTS (SELECT 1 %s) THEN (SELECT %s %s) END
                WHERE id {any:ids}""".formatted(failed, failed, database.dialect().errorsOf(), failed),
                Map.of("ids", database.dialect().ids(eventIds)));
    }

    private static String failedOf(String event) {
        return "FROM {event_notifications} n WHERE n.event_id = " + event + ".id AND " + UNSUCCESSFUL;
    }

    /**
     * Finalizes events that a node has claimed whole and whose handler has succeeded:
     * writes the notification, SUCCEEDED, and moves the event to the log. Needs no lock
     * before it, because no other notification of the event exists. Sends the settings of
     * a steady plan, so it comes first.
     * @param excluded a query for pairs of event type and handler name that are left
     * alone
     * @param parameters {@code ids}, {@code node} and those of the query
     * @return the events that were still claimed by the node, and are in the log now
     */
    public Set<UUID> finalizeClaimed(String excluded, Map<String, Object> parameters) {
        String sql = """
                WITH excluded AS MATERIALIZED (%3$s),
                e AS (
                    DELETE FROM {events} d
                    WHERE d.id = ANY(:ids) AND d.worker_id = :node AND d.handler_name IS NOT NULL
                        AND NOT EXISTS (SELECT 1 FROM excluded x
                            WHERE x.event_type = d.event_type AND x.handler_name = d.handler_name)
                    RETURNING %1$s, handler_name),
                n AS (
                    INSERT INTO {event_notifications} (id, event_id, handler_name, event_seq, %2$s, state, attempts,
                        next_retry_at, created_date, updated_date)
                    SELECT id, id, handler_name, seq, %2$s, 'SUCCEEDED', 1, {now}, {now}, {now}
                    FROM e),
                counter AS (
                    UPDATE {event_log_counter} SET position = position + (SELECT count(*) FROM e)
                    WHERE id = 1 AND EXISTS (SELECT 1 FROM e) RETURNING position)
                INSERT INTO {event_log} (position, status, attempts, finalized_at, %1$s)
                SELECT counter.position - count(*) OVER () + row_number() OVER (), 'COMPLETED', 1, {now}, %1$s
                FROM e CROSS JOIN counter RETURNING id
                """.formatted(EVENT, EventRows.KEPT, excluded);
        return Set.copyOf(database.steadyQuery(sql, parameters, true, (rs, row) -> database.dialect().id(rs, "id")));
    }

    /**
     * Ends an event that a worker pulled. The caller has locked it and knows that it may
     * end.
     */
    public void finalizePulled(UUID eventId, EventStatus status, Ended ended) {
        Map<String, @Nullable Object> parameters = new HashMap<>();
        parameters.put("ids", database.dialect().ids(List.of(eventId)));
        parameters.put("errors", ended.json());
        End end = new End("e.status <> 'DELIVERED'", "'" + status + "'", "e.attempts", "{json:errors}", "");
        if (database.dialect().writesInQueries()) {
            inOneStatement(end, parameters);
        }
        else {
            stepByStep(end, parameters);
        }
        database.update("UPDATE {event_tags} SET available_at = NULL WHERE event_id {any:ids}", parameters);
    }

    /**
     * Moves a FAILED event back among the live ones, so that it can be worked on again.
     */
    public void takeBackFailed(UUID eventId) {
        Map<String, Object> id = Map.of("id", database.dialect().id(eventId));
        database.update("""
                INSERT INTO {events} (status, attempts, updated_at, %s)
                SELECT 'PENDING', attempts, {now}, %s FROM {event_log} WHERE id = :id AND status = 'FAILED'
                """.formatted(COLUMNS, COLUMNS), id);
        database.update("DELETE FROM {event_log} WHERE id = :id", id);
    }

    private End handled() {
        String failed = failedOf("e");
        return new End(NOTHING_OPEN,
                "CASE WHEN EXISTS (SELECT 1 " + failed + ") THEN 'COMPLETED_WITH_ERRORS' ELSE 'COMPLETED' END",
                "(SELECT COALESCE(SUM(n.attempts), 0) FROM {event_notifications} n WHERE n.event_id = e.id)",
                "CASE WHEN EXISTS (SELECT 1 " + failed + ") THEN (SELECT " + database.dialect().errorsOf() + " "
                        + failed + ") END",
                "");
    }

    /** The same, reading the notifications once. */
    private End handledWithJoin() {
        return new End(NOTHING_OPEN, "CASE WHEN x.errors IS NULL THEN 'COMPLETED' ELSE 'COMPLETED_WITH_ERRORS' END",
                "x.attempts", "x.errors", """
                        CROSS JOIN LATERAL (
                            SELECT COALESCE(sum(n.attempts), 0) AS attempts,
                                %s FILTER (WHERE %s) AS errors
                            FROM {event_notifications} n WHERE n.event_id = e.id) x"""
                    .formatted(database.dialect().errorsOf(), UNSUCCESSFUL));
    }

    private int inOneStatement(End end, Map<String, @Nullable Object> parameters) {
        return database.update("""
                WITH e AS (
                    DELETE FROM {events} e WHERE e.id = ANY(:ids) AND %s RETURNING attempts, %s),
                counter AS (
                    UPDATE {event_log_counter} SET position = position + (SELECT count(*) FROM e)
                    WHERE id = 1 AND EXISTS (SELECT 1 FROM e) RETURNING position)
                INSERT INTO {event_log} (position, status, attempts, errors, finalized_at, %s)
                SELECT counter.position - count(*) OVER () + row_number() OVER (), %s, %s, %s, {now}, %s
                FROM e CROSS JOIN counter %s
                """.formatted(end.condition(), COLUMNS, COLUMNS, end.status(), end.attempts(), end.errors(), COLUMNS,
                end.join()), parameters);
    }

    private int stepByStep(End end, Map<String, @Nullable Object> parameters) {
        Dialect dialect = database.dialect();
        List<UUID> finished = database.query("SELECT e.id FROM {events} e WHERE e.id {any:ids} AND " + end.condition()
                + " ORDER BY e.seq FOR UPDATE", parameters, (rs, row) -> dialect.id(rs, "id"));
        if (finished.isEmpty()) {
            return 0;
        }
        parameters.put("ids", dialect.ids(finished));
        parameters.put("count", finished.size());
        database.update("UPDATE {event_log_counter} SET position = position + :count WHERE id = 1", parameters);
        long last = database
            .query("SELECT position FROM {event_log_counter} WHERE id = 1", Map.of(), (rs, row) -> rs.getLong(1))
            .getFirst();
        parameters.put("base", last - finished.size());
        database.update("""
                INSERT INTO {event_log} (position, status, attempts, errors, finalized_at, %s)
                SELECT :base + ROW_NUMBER() OVER (ORDER BY e.seq), %s, %s, %s, {now}, %s
                FROM {events} e WHERE e.id {any:ids}
                """.formatted(COLUMNS, end.status(), end.attempts(), end.errors(), COLUMNS), parameters);
        database.update("DELETE FROM {events} WHERE id {any:ids}", parameters);
        return finished.size();
    }

}
