package io.eventqueue.outbox;

import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.Dialect;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
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

    private static final String INSERT = """
            INSERT INTO {events} (id, status, event_type, payload, headers, event_key, tags, title, description,
                namespace, action_id, action_name, action_params, started_date, completion_date, model_id, model_type,
                max_retries, available_at, event_date, created_at, updated_at)
            VALUES\s""";

    private static final String ROW = "(?, 'PENDING', ?, {json}, {json}, ?, ?, ?, ?, ?, ?, ?, {json}, ?, ?, ?, ?, ?, {now+}, {now}, {now}, {now})";

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
                        java.util.Objects.requireNonNull(event.type()), "delay", event.delay().toNanos() / 1000));
            }
        }
        database.updateBatch("""
                INSERT INTO {event_tags} (event_id, tag, event_type, available_at)
                VALUES (:eventId, :tag, :type, {now+:delay})""", tags);
    }

    private static String insertOf(int rows) {
        return INSERT + String.join(", ", java.util.Collections.nCopies(rows, ROW));
    }

    private List<@Nullable Object> arguments(List<NewEvent> events) {
        Dialect dialect = database.dialect();
        List<@Nullable Object> arguments = new ArrayList<>(events.size() * 18);
        for (NewEvent event : events) {
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
        return arguments;
    }

}
