package io.eventqueue.outbox;

import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.Dialect;
import io.eventqueue.loop.Handover.Committed;
import io.eventqueue.loop.Handover.Offer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;

/**
 * Inserts into {@code events} and {@code event_tags}, in whatever transaction the caller
 * is in.
 */
final class EventWriter {

    /**
     * Rows in one INSERT: one round trip, and well below any database's limit of
     * parameters.
     */
    private static final int ROWS_PER_STATEMENT = 1000;

    private static final String COLUMNS = """
            id, event_type, payload, headers, event_key, tags, title, description, namespace, action_id, action_name,
            action_params, started_date, completion_date, model_id, model_type, max_retries, available_at, event_date,
            created_at, updated_at, status""";

    private static final String VALUES = "?, ?, {json}, {json}, ?, ?, ?, ?, ?, ?, ?, {json}, ?, ?, ?, ?, ?, {now+}, {now}, {now}, {now}";

    private static final String INSERT = "INSERT INTO {events} (" + COLUMNS + ") VALUES ";

    private static final String ROW = "(" + VALUES + ", 'PENDING')";

    /**
     * What is inserted inside a savepoint can be rolled back although the transaction
     * commits.
     */
    private static final String INSERT_CLAIMED = "INSERT INTO {events} (" + COLUMNS
            + ", worker_id, handler_name, lease_until) VALUES ";

    private static final String CLAIMED_ROW = "(" + VALUES + ", 'PROCESSING', ?, ?, {now+})";

    private static final String RETURNING = " RETURNING id, event_date, available_at, xmin = pg_current_xact_id()::xid AS outside_savepoints";

    private final Database database;

    private final KeyLocks keyLocks;

    EventWriter(Database database) {
        this.database = database;
        this.keyLocks = new KeyLocks(database);
    }

    /** Writes events whose ids are new. */
    void write(List<NewEvent> events) {
        keyLocks.lockKeysOf(events);
        for (int from = 0; from < events.size(); from += ROWS_PER_STATEMENT) {
            List<NewEvent> chunk = events.subList(from, Math.min(events.size(), from + ROWS_PER_STATEMENT));
            database.updatePositional(insertOf(chunk.size()), arguments(chunk));
        }
        writeTags(events);
    }

    /**
     * Writes events whose ids are new, each claimed for the handler that it will be
     * handed over to.
     * @return what to hand over when the transaction has committed: all of them, or none,
     * if somebody could roll them back before; then they were written as any other
     */
    List<Committed> write(List<NewEvent> events, List<Offer> offers) {
        keyLocks.lockKeysOf(events);
        List<@Nullable Object> arguments = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            addArguments(events.get(i), arguments);
            arguments.add(offers.get(i).node());
            arguments.add(offers.get(i).handler());
            arguments.add(offers.get(i).lease().toNanos() / 1000);
        }
        Map<UUID, Integer> places = new HashMap<>();
        for (NewEvent event : events) {
            places.put(event.id(), places.size());
        }
        long now = System.nanoTime();
        AtomicBoolean lasting = new AtomicBoolean(true);
        Dialect dialect = database.dialect();
        List<Committed> written = database.queryPositional(
                INSERT_CLAIMED + String.join(", ", Collections.nCopies(events.size(), CLAIMED_ROW)) + RETURNING,
                arguments, (rs, row) -> {
                    lasting.compareAndSet(true, rs.getBoolean("outside_savepoints"));
                    int place = Objects.requireNonNull(places.get(dialect.id(rs, "id")));
                    return committed(events.get(place), offers.get(place), dialect.instant(rs, "event_date"),
                            dialect.instant(rs, "available_at"), now);
                });
        if (lasting.get()) {
            return written;
        }
        database.update("""
                UPDATE {events} SET status = 'PENDING', worker_id = NULL, handler_name = NULL, lease_until = NULL
                WHERE id {any:ids}""",
                Map.of("ids", database.dialect().ids(events.stream().map(NewEvent::id).toList())));
        return List.of();
    }

    private static Committed committed(NewEvent event, Offer offer, Instant eventDate, Instant availableAt,
            long nanos) {
        return new Committed(event.id(), Objects.requireNonNull(event.type()), offer, event.payload(), event.headers(),
                event.key(), eventDate, availableAt, event.action(), nanos);
    }

    /**
     * Writes an event whose id the caller chose.
     * @return false if an event of that id exists or existed, as far back as the log
     * reaches; nothing was written then
     */
    boolean writeOnce(NewEvent event) {
        if (!insertUnlessPresent(event)) {
            return false;
        }
        // Only now is it certain that no finalization of the same id is under way: the
        // insert would have waited for it.
        Map<String, Object> id = Map.of("id", database.dialect().id(event.id()));
        int alreadyFinalized = database.update(
                "DELETE FROM {events} WHERE id = :id AND EXISTS (SELECT 1 FROM {event_log} l WHERE l.id = :id)", id);
        if (alreadyFinalized > 0) {
            return false;
        }
        writeTags(List.of(event));
        return true;
    }

    /**
     * Writes those of the events, whose ids the caller chose and which are all different,
     * that neither exist nor existed, as far back as the log reaches.
     * @return those written
     * @throws DuplicateKeyException if somebody else writes one of them at the same
     * moment; the transaction is of no more use then
     */
    List<NewEvent> writeUnlessKnown(List<NewEvent> events) {
        if (events.isEmpty()) {
            return events;
        }
        Set<UUID> known = idsIn("""
                SELECT id FROM {events} WHERE id {any:ids} UNION ALL SELECT id FROM {event_log} WHERE id {any:ids}
                """, events);
        List<NewEvent> fresh = events.stream().filter(event -> !known.contains(event.id())).toList();
        write(fresh);
        // As in writeOnce: one that was published and finalized since we looked.
        if (!fresh.isEmpty() && !idsIn("SELECT id FROM {event_log} WHERE id {any:ids}", fresh).isEmpty()) {
            throw new DuplicateKeyException("An event was finalized while it was received again");
        }
        return fresh;
    }

    private Set<UUID> idsIn(String sql, List<NewEvent> events) {
        Dialect dialect = database.dialect();
        List<UUID> ids = events.stream().map(NewEvent::id).toList();
        return new HashSet<>(database.query(sql, Map.of("ids", dialect.ids(ids)), (rs, row) -> dialect.id(rs, "id")));
    }

    private boolean insertUnlessPresent(NewEvent event) {
        List<NewEvent> one = List.of(event);
        keyLocks.lockKeysOf(one);
        try {
            String insert = insertOf(1) + database.dialect().orIgnoreDuplicateId();
            return database.updatePositional(insert, arguments(one)) == 1;
        }
        catch (DuplicateKeyException e) {
            return false;
        }
    }

    private void writeTags(List<NewEvent> events) {
        List<Map<String, Object>> tags = new ArrayList<>();
        for (NewEvent event : events) {
            for (String tag : event.tags()) {
                tags.add(Map.of("eventId", database.dialect().id(event.id()), "tag", tag, "type",
                        Objects.requireNonNull(event.type()), "delay", event.delay().toNanos() / 1000));
            }
        }
        database.updateBatch("""
                INSERT INTO {event_tags} (event_id, tag, event_type, available_at)
                VALUES (:eventId, :tag, :type, {now+:delay})""", tags);
    }

    private static String insertOf(int rows) {
        return INSERT + String.join(", ", Collections.nCopies(rows, ROW));
    }

    private List<@Nullable Object> arguments(List<NewEvent> events) {
        List<@Nullable Object> arguments = new ArrayList<>(events.size() * 18);
        events.forEach(event -> addArguments(event, arguments));
        return arguments;
    }

    private void addArguments(NewEvent event, List<@Nullable Object> arguments) {
        Dialect dialect = database.dialect();
        arguments.add(dialect.id(event.id()));
        arguments.add(event.type());
        arguments.add(event.payload());
        arguments.add(event.headers());
        arguments.add(event.key());
        arguments.add(event.tags().isEmpty() ? null : String.join(",", event.tags()));
        arguments.add(event.title());
        arguments.add(event.description());
        arguments.add(event.action().namespace());
        arguments.add(dialect.id(event.action().actionId()));
        arguments.add(event.action().actionName());
        arguments.add(event.action().actionParams());
        arguments.add(dialect.timestamp(event.action().startedDate()));
        arguments.add(dialect.timestamp(event.action().completionDate()));
        arguments.add(event.action().modelId());
        arguments.add(event.action().modelType());
        arguments.add(event.maxRetries());
        arguments.add(event.delay().toNanos() / 1000);
    }

}
