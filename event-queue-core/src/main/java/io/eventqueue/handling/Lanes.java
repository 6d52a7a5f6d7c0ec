package io.eventqueue.handling;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.jdbc.Database;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Hands the events of one key to an ordered handler one at a time, in the order of their
 * sequence numbers, which is the order their transactions committed. A lane is the open
 * notifications of one handler and one key; only its first may be claimed:
 *
 * <ol>
 * <li>a claim locks due rows and asks, in a statement of its own, which are first. An
 * event of the key that is published but not fanned out yet also counts as being before
 * them;
 * <li>a row behind another one is parked: it is not due until it is released. The row
 * before it is locked for that, so its end comes either before the question or after the
 * parking;
 * <li>when a notification ends (not: when an attempt fails), the first one left in its
 * lane is made due in the same transaction.
 * </ol>
 *
 * Rows of handlers that are not ordered have no lane and never come here.
 */
final class Lanes {

    /** Parked rows are looked at again after this, should anybody have deleted rows. */
    private static final Duration PARKED = Duration.ofHours(1);

    /** The one before it is being written right now, or not fanned out yet. */
    private static final Duration ABOUT_TO_CHANGE = Duration.ofMillis(200);

    private static final String OPEN = "state IN ('PENDING', 'FAILED', 'WAITING')";

    /** Of all failing notifications, this many are looked at to count keys. */
    private static final int MOST_COUNTED = 10_000;

    /** Keys that wait, and the age of the event that has made one wait longest. */
    record BlockedKeys(int count, Duration oldest) {

        static final BlockedKeys NONE = new BlockedKeys(0, Duration.ZERO);

        private BlockedKeys plus(BlockedKeys other) {
            return new BlockedKeys(count + other.count, oldest.compareTo(other.oldest) > 0 ? oldest : other.oldest);
        }

    }

    private record Blocked(UUID id, @Nullable UUID before) {
    }

    private final Database database;

    private final EventHandlerRegistry registry;

    Lanes(Database database, EventHandlerRegistry registry) {
        this.database = database;
        this.registry = registry;
    }

    /**
     * Parks those of the due rows, which the current transaction has locked, that are not
     * the first of their lane.
     * @return the others
     */
    List<UUID> firstOf(String name, List<UUID> due) {
        List<Blocked> blocked = blocked(name, due);
        park(blocked);
        Set<UUID> parked = blocked.stream().map(Blocked::id).collect(Collectors.toSet());
        return due.stream().filter(id -> !parked.contains(id)).toList();
    }

    private List<Blocked> blocked(String name, List<UUID> due) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("ids", database.dialect().ids(due));
        parameters.put("names", database.dialect().strings(namesOf(name)));
        parameters.put("types", database.dialect().strings(registry.find(name).orElseThrow().eventTypes().keySet()));
        return database.query("""
                SELECT y.id, y.before_id FROM (
                    SELECT n.id, (
                        SELECT x.id FROM {event_notifications} x {index:event_notifications_lane}
                        WHERE x.{open_lane} = n.lane AND x.handler_name {any:names} AND x.event_seq < n.event_seq
                            AND x.state IN ('PENDING', 'FAILED', 'WAITING')
                        ORDER BY x.event_seq DESC LIMIT 1) AS before_id, (
                        SELECT p.seq FROM {events} p {index:events_pending_key}
                        WHERE p.{pending_key} = n.lane AND p.seq < n.event_seq AND p.status = 'PENDING'
                            AND p.available_at <= {now} AND p.event_type {any:types} LIMIT 1) AS pending_seq
                    FROM {event_notifications} n WHERE n.id {any:ids} AND n.lane IS NOT NULL) y
                WHERE y.before_id IS NOT NULL OR y.pending_seq IS NOT NULL""", parameters,
                (rs, row) -> new Blocked(database.dialect().id(rs, "id"),
                        rs.getObject("before_id") == null ? null : database.dialect().id(rs, "before_id")));
    }

    private void park(List<Blocked> blocked) {
        Set<UUID> before = new LinkedHashSet<>(blocked.stream().map(Blocked::before).filter(Objects::nonNull).toList());
        Set<UUID> locked = new HashSet<>();
        if (!before.isEmpty()) {
            locked.addAll(database.query(
                    "SELECT id FROM {event_notifications} WHERE id {any:ids} AND " + OPEN
                            + " ORDER BY id FOR UPDATE SKIP LOCKED",
                    Map.of("ids", database.dialect().ids(before)), (rs, row) -> database.dialect().id(rs, "id")));
        }
        Map<Boolean, List<UUID>> ids = new HashMap<>();
        blocked.forEach(row -> ids
            .computeIfAbsent(row.before() != null && locked.contains(row.before()), b -> new ArrayList<>())
            .add(row.id()));
        ids.forEach((parked, rows) -> database
            .update("UPDATE {event_notifications} SET next_retry_at = {now+:wait} WHERE id {any:ids}", Map.of("ids",
                    database.dialect().ids(rows), "wait", (parked ? PARKED : ABOUT_TO_CHANGE).toNanos() / 1000)));
    }

    /**
     * These notifications, by the name of their handler, have ended for good. Call it in
     * the transaction that says so, after it was said.
     * @return how many others are due now
     */
    int ended(Map<String, List<UUID>> byHandler) {
        return byHandler.entrySet().stream().mapToInt(entry -> ended(entry.getKey(), entry.getValue())).sum();
    }

    private int ended(String handlerName, Collection<UUID> ids) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("ids", database.dialect().ids(ids));
        parameters.put("names", database.dialect().strings(namesOf(handlerName)));
        List<UUID> first = database.query("""
                SELECT DISTINCT y.id FROM (
                    SELECT (SELECT x.id FROM {event_notifications} x {index:event_notifications_lane}
                        WHERE x.{open_lane} = n.lane AND x.handler_name {any:names}
                            AND x.state IN ('PENDING', 'FAILED', 'WAITING')
                        ORDER BY x.event_seq LIMIT 1) AS id
                    FROM {event_notifications} n WHERE n.id {any:ids}) y
                WHERE y.id IS NOT NULL""", parameters, (rs, row) -> database.dialect().id(rs, "id"));
        return first.isEmpty() ? 0 : database.update("""
                UPDATE {event_notifications} SET next_retry_at = {now}
                WHERE id {any:ids} AND state = 'PENDING' AND owner IS NULL AND next_retry_at > {now}""",
                Map.of("ids", database.dialect().ids(first)));
    }

    /** Keys whose next event has failed and waits for another attempt, by handler. */
    Map<String, BlockedKeys> blockedKeys() {
        Map<String, BlockedKeys> blocked = new HashMap<>();
        database.query("""
                SELECT x.handler_name, COUNT(*) AS failing, MIN(x.available_at) AS oldest, {now} AS asked_at FROM (
                    SELECT handler_name, lane, available_at FROM {event_notifications} {index:event_notifications_open}
                    WHERE state = 'FAILED' AND {open_since} IS NOT NULL ORDER BY {open_since} LIMIT :limit) x
                WHERE x.lane IS NOT NULL GROUP BY x.handler_name""", Map.of("limit", MOST_COUNTED), (rs, row) -> {
            String name = rs.getString("handler_name");
            Duration oldest = Duration.between(database.dialect().instant(rs, "oldest"),
                    database.dialect().instant(rs, "asked_at"));
            return blocked.merge(registry.find(name).map(HandlerDefinition::name).orElse(name),
                    new BlockedKeys(rs.getInt("failing"), oldest), BlockedKeys::plus);
        });
        return blocked;
    }

    /** A renamed handler still keeps the order of what was queued under its old name. */
    private Set<String> namesOf(String name) {
        Set<String> names = new LinkedHashSet<>(Set.of(name));
        HandlerDefinition handler = registry.find(name).orElse(null);
        if (handler != null) {
            names.add(handler.name());
            names.addAll(handler.aliases());
        }
        return names;
    }

}
