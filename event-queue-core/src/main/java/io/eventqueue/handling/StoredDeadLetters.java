package io.eventqueue.handling;

import io.eventqueue.DeadLetter;
import io.eventqueue.DeadLetterFilter;
import io.eventqueue.DeadLetterFilter.Position;
import io.eventqueue.DeadLetters;
import io.eventqueue.NotificationState;
import io.eventqueue.jdbc.Database;
import io.eventqueue.loop.Signals.Signal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The notifications in state DEAD and EXPIRED on all shards. To replay one:
 *
 * <ol>
 * <li>lock the row, if it still is a dead letter;
 * <li>write the audit;
 * <li>forget that a handler which is not idempotent has consumed the event: the operator
 * wants it to run;
 * <li>make the row PENDING and due, remembering in {@code replayed_after} how many
 * attempts it had. {@link Outcomes} sees by that column that the event may be in the log
 * already, and corrects it there.
 * </ol>
 */
public final class StoredDeadLetters implements DeadLetters {

    private static final int BATCH = 500;

    private static final String COLUMNS = "id, event_id, handler_name, event_type, event_key, state, attempts, last_error,"
            + " event_date, updated_date, replayed_after";

    /** By the text of the id, which sorts as databases sort it. */
    private static final Comparator<DeadLetter> OLDEST_FIRST = Comparator.comparing(DeadLetter::endedAt)
        .thenComparing(letter -> letter.id().toString());

    /** What an operator can do with one batch; returns how many were still there. */
    private interface Decision {

        int on(Database database, List<UUID> ids, String by);

    }

    private final List<Database> databases;

    public StoredDeadLetters(List<Database> databases) {
        this.databases = List.copyOf(databases);
    }

    @Override
    public List<DeadLetter> list(DeadLetterFilter filter) {
        int limit = filter.limit() == null ? DEFAULT_LIMIT : filter.limit();
        return databases.stream()
            .flatMap(database -> page(database, filter, filter.after(), limit, false).stream())
            .sorted(OLDEST_FIRST.reversed())
            .limit(limit)
            .toList();
    }

    @Override
    public long count(DeadLetterFilter filter) {
        return databases.stream().mapToLong(database -> count(database, filter)).sum();
    }

    @Override
    public Optional<DeadLetter> find(UUID id) {
        return databases.stream().flatMap(database -> find(database, id)).findFirst();
    }

    @Override
    public boolean replay(UUID id, String by) {
        return one(id, by, this::replay);
    }

    @Override
    public int replay(DeadLetterFilter filter, String by) {
        return each(filter, by, this::replay);
    }

    @Override
    public boolean discard(UUID id, String by) {
        return one(id, by, this::discard);
    }

    @Override
    public int discard(DeadLetterFilter filter, String by) {
        return each(filter, by, this::discard);
    }

    private boolean one(UUID id, String by, Decision decision) {
        return databases.stream().anyMatch(database -> decision.on(database, List.of(id), by) == 1);
    }

    private int each(DeadLetterFilter filter, String by, Decision decision) {
        int left = filter.limit() == null ? Integer.MAX_VALUE : filter.limit();
        int done = 0;
        for (Database database : databases) {
            // What dies again after this moment has a later time and is not looked at.
            DeadLetterFilter present = filter.until() != null ? filter : filter.until(database.now().plusNanos(1000));
            @Nullable Position after = null;
            List<DeadLetter> batch;
            do {
                batch = page(database, present, after, Math.min(BATCH, left - done), true);
                if (!batch.isEmpty()) {
                    done += decision.on(database, batch.stream().map(DeadLetter::id).toList(), by);
                    after = new Position(batch.getLast().endedAt(), batch.getLast().id());
                }
            }
            while (!batch.isEmpty() && done < left);
        }
        return done;
    }

    private int replay(Database database, List<UUID> ids, String by) {
        int replayed = database.inOwnTransaction(() -> decide(database, ids, by, "REPLAYED", """
                state = 'PENDING', available_at = {now}, next_retry_at = {now}, replayed_after = attempts"""));
        if (replayed > 0) {
            database.shard().signals().raise(Signal.NOTIFICATIONS);
        }
        return replayed;
    }

    private int discard(Database database, List<UUID> ids, String by) {
        return database.inOwnTransaction(() -> decide(database, ids, by, "DISCARDED", "state = 'DISCARDED'"));
    }

    private int decide(Database database, List<UUID> ids, String by, String action, String change) {
        List<DeadLetter> letters = database.query(
                "SELECT " + COLUMNS + " FROM {event_notifications}"
                        + " WHERE id {any:ids} AND state IN ('DEAD', 'EXPIRED') ORDER BY id FOR UPDATE",
                Map.of("ids", database.dialect().ids(ids)), (rs, row) -> letter(database, rs));
        if (letters.isEmpty()) {
            return 0;
        }
        List<Map<String, Object>> rows = letters.stream().map(letter -> row(database, letter, by, action)).toList();
        database.updateBatch("""
                INSERT INTO {event_attempts} (event_id, notification_id, handler_name, worker_id, action, attempt,
                    error_message, created_at)
                VALUES (:eventId, :id, :handler, :by, :action, :attempt, :error, {now})""", rows);
        if (action.equals("REPLAYED")) {
            database.updateBatch(
                    """
                            DELETE FROM {consumed_events} WHERE event_id = :eventId AND (handler_name = :handler
                                OR handler_name IN (SELECT h.replaced_by FROM {event_handlers} h WHERE h.handler_name = :handler))""",
                    rows);
        }
        return database.update(
                "UPDATE {event_notifications} SET " + change + ", updated_date = {now} WHERE id {any:ids}",
                Map.of("ids", database.dialect().ids(letters.stream().map(DeadLetter::id).toList())));
    }

    private static Map<String, Object> row(Database database, DeadLetter letter, String by, String action) {
        Map<String, Object> row = new HashMap<>();
        row.put("id", database.dialect().id(letter.id()));
        row.put("eventId", database.dialect().id(letter.eventId()));
        row.put("handler", letter.handler());
        row.put("by", by.length() <= 255 ? by : by.substring(0, 255));
        row.put("action", action);
        row.put("attempt", letter.attempts());
        row.put("error", letter.error());
        return row;
    }

    /** Each state is a range of the index over dead rows, read in its order. */
    private static List<DeadLetter> page(Database database, DeadLetterFilter filter, @Nullable Position after,
            int limit, boolean oldestFirst) {
        DeadLetterQuery query = new DeadLetterQuery(database, filter, after, oldestFirst);
        return states(filter)
            .flatMap(state -> database
                .query(query.rows(COLUMNS), query.parameters(state, limit), (rs, row) -> letter(database, rs))
                .stream())
            .sorted(oldestFirst ? OLDEST_FIRST : OLDEST_FIRST.reversed())
            .limit(limit)
            .toList();
    }

    private static long count(Database database, DeadLetterFilter filter) {
        DeadLetterQuery query = new DeadLetterQuery(database, filter, null, true);
        return states(filter)
            .mapToLong(state -> database.query(query.count(), query.parameters(state, 1), (rs, row) -> rs.getLong(1))
                .getFirst())
            .sum();
    }

    private static Stream<NotificationState> states(DeadLetterFilter filter) {
        return filter.state() != null ? Stream.of(filter.state())
                : Stream.of(NotificationState.DEAD, NotificationState.EXPIRED);
    }

    private static Stream<DeadLetter> find(Database database, UUID id) {
        return database
            .query("SELECT " + COLUMNS + " FROM {event_notifications} WHERE id = :id AND state IN ('DEAD', 'EXPIRED')",
                    Map.of("id", database.dialect().id(id)), (rs, row) -> letter(database, rs))
            .stream();
    }

    private static DeadLetter letter(Database database, ResultSet rs) throws SQLException {
        return new DeadLetter(database.dialect().id(rs, "id"), database.shard().name(),
                database.dialect().id(rs, "event_id"), rs.getString("handler_name"), rs.getString("event_type"),
                rs.getString("event_key"), NotificationState.valueOf(rs.getString("state")), rs.getInt("attempts"),
                rs.getString("last_error"), database.dialect().instant(rs, "event_date"),
                database.dialect().instant(rs, "updated_date"), rs.getObject("replayed_after") != null);
    }

}
