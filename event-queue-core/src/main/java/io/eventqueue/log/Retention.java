package io.eventqueue.log;

import io.eventqueue.jdbc.Database;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what is old enough, in small batches ordered the same way on every node:
 *
 * <ul>
 * <li>notifications that succeeded, by their event's place in the log, so the deliveries
 * of an unfinished event stay together;
 * <li>dead letters, and what became of them, by the time they ended;
 * <li>the log and what belongs to it.
 * </ul>
 */
public final class Retention {

    private static final Logger log = LoggerFactory.getLogger(Retention.class);

    private static final int BATCH = 500;

    private record Logged(UUID id, long position) {
    }

    private final Database database;

    private final long logMicros;

    private final long notificationMicros;

    private final long deadLetterMicros;

    public Retention(Database database, Duration logRetention, Duration notificationRetention,
            Duration deadLetterRetention) {
        this.database = database;
        this.logMicros = logRetention.toNanos() / 1000;
        this.notificationMicros = notificationRetention.toNanos() / 1000;
        this.deadLetterMicros = deadLetterRetention.toNanos() / 1000;
    }

    /** One batch of each table; returns how many rows went. */
    public int prune() {
        return pruneNotifications(notificationMicros) + pruneDeadLetters() + pruneLog()
                + database.inOwnTransaction(() -> delete("event_attempts", "id", "ORDER BY id", "created_at"))
                + database.inOwnTransaction(() -> pruneConsumed()) + database.inOwnTransaction(() -> pruneSentinels());
    }

    /**
     * Deletes the notifications of one batch of events finalized longer ago than the
     * given time.
     */
    public int pruneNotifications(long olderThanMicros) {
        return database.inOwnTransaction(() -> {
            long from = database
                .query("SELECT pruned_position FROM {event_log_counter} WHERE id = 1 FOR UPDATE", Map.of(),
                        (rs, row) -> rs.getLong(1))
                .getFirst();
            List<Logged> old = database.query("""
                    SELECT id, position FROM {event_log} WHERE position > :from AND finalized_at <= {now+:age}
                    ORDER BY position LIMIT :limit""", Map.of("from", from, "age", -olderThanMicros, "limit", BATCH),
                    (rs, row) -> new Logged(database.dialect().id(rs, "id"), rs.getLong("position")));
            if (old.isEmpty()) {
                return 0;
            }
            int deleted = database.update(
                    "DELETE FROM {event_notifications} WHERE event_id {any:ids} AND state = 'SUCCEEDED' AND replayed_after IS NULL",
                    Map.of("ids", database.dialect().ids(old.stream().map(Logged::id).toList())));
            database.update("UPDATE {event_log_counter} SET pruned_position = :last WHERE id = 1",
                    Map.of("last", old.getLast().position()));
            return Math.max(deleted, 1);
        });
    }

    /**
     * The log goes by the position of events. A dead letter may outlive its event there,
     * and be replayed then, so it goes by its own age.
     */
    private int pruneDeadLetters() {
        int forgotten = pruneEnded("DEAD", deadLetterMicros) + pruneEnded("EXPIRED", deadLetterMicros);
        if (forgotten > 0) {
            log.warn("Deleted {} dead letters on {} that nobody replayed or discarded within the dead letter retention",
                    forgotten, database.shard());
        }
        return forgotten + pruneEnded("DISCARDED", notificationMicros) + pruneEnded("SUCCEEDED", notificationMicros);
    }

    private int pruneEnded(String state, long olderThanMicros) {
        return database.inOwnTransaction(() -> {
            List<UUID> old = database.query("SELECT id FROM {event_notifications} WHERE {dead_state} = :state"
                    + " AND (state IN ('DEAD', 'EXPIRED', 'DISCARDED') OR replayed_after IS NOT NULL)"
                    + " AND {dead_at} <= {now+:age} AND NOT EXISTS (SELECT 1 FROM {events} e WHERE e.id = event_id)"
                    + " ORDER BY {dead_at}, id LIMIT :limit FOR UPDATE SKIP LOCKED",
                    Map.of("state", state, "age", -olderThanMicros, "limit", BATCH),
                    (rs, row) -> database.dialect().id(rs, "id"));
            return old.isEmpty() ? 0 : database.update("DELETE FROM {event_notifications} WHERE id {any:ids}",
                    Map.of("ids", database.dialect().ids(old)));
        });
    }

    private int pruneLog() {
        return database.inOwnTransaction(() -> {
            // The first of those with position, so that a young log costs no more than
            // one batch.
            List<Logged> old = database.query("""
                    SELECT id, position FROM (
                        SELECT id, position, finalized_at FROM {event_log} WHERE position <= (
                            SELECT pruned_position FROM {event_log_counter} WHERE id = 1)
                        ORDER BY position LIMIT :limit) l
                    WHERE l.finalized_at <= {now+:age}""", Map.of("limit", BATCH, "age", -logMicros),
                    (rs, row) -> new Logged(database.dialect().id(rs, "id"), rs.getLong("position")));
            if (old.isEmpty()) {
                return 0;
            }
            Map<String, Object> parameters = Map.of("ids",
                    database.dialect().ids(old.stream().map(Logged::id).toList()), "last",
                    old.stream().mapToLong(Logged::position).max().orElseThrow());
            database.update("DELETE FROM {event_tags} WHERE event_id {any:ids}", parameters);
            int deleted = database.update("DELETE FROM {event_log} WHERE id {any:ids}", parameters);
            // Last, as whoever finalizes waits for this row.
            database.update("UPDATE {event_log_counter} SET log_pruned_position = :last"
                    + " WHERE id = 1 AND log_pruned_position < :last", parameters);
            return deleted;
        });
    }

    private int delete(String table, String key, String order, String age) {
        List<Long> old = database.query(
                "SELECT " + key + ", " + age + " FROM {" + table + "} " + order + " LIMIT :limit",
                Map.of("limit", BATCH), (rs, row) -> rs.getLong(1));
        if (old.isEmpty()) {
            return 0;
        }
        return database.update(
                "DELETE FROM {" + table + "} WHERE " + key + " BETWEEN :first AND :last AND " + age + " <= {now+:age}",
                Map.of("first", old.getFirst(), "last", old.getLast(), "age", -logMicros));
    }

    private int pruneConsumed() {
        List<UUID> old = database.query(
                "SELECT event_id FROM {consumed_events} WHERE consumed_at <= {now+:age} ORDER BY consumed_at LIMIT :limit",
                Map.of("age", -logMicros, "limit", BATCH), (rs, row) -> database.dialect().id(rs, "event_id"));
        return old.isEmpty() ? 0
                : database.update(
                        "DELETE FROM {consumed_events} WHERE event_id {any:ids} AND consumed_at <= {now+:age}",
                        Map.of("ids", database.dialect().ids(old), "age", -logMicros));
    }

    private int pruneSentinels() {
        List<UUID> old = database.query("""
                SELECT id FROM {events} {index:events_pending}
                WHERE {pending_type} %s AND status = 'PENDING' AND available_at <= {now+:age}
                ORDER BY available_at LIMIT :limit""".formatted(database.dialect().ofSentinel()),
                Map.of("age", -logMicros, "limit", BATCH), (rs, row) -> database.dialect().id(rs, "id"));
        return old.isEmpty() ? 0 : database.update("DELETE FROM {events} WHERE id {any:ids}",
                Map.of("ids", database.dialect().ids(old)));
    }

}
