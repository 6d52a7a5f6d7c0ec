package io.eventqueue.jdbc;

import io.eventqueue.EventStatus;
import io.eventqueue.NotificationState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How much waits on one database, cheap enough to ask every few seconds whatever the
 * backlog:
 *
 * <ol>
 * <li>every count walks an index that ships with the schema and stops at its limit, so a
 * count equal to the limit means "that many or more";
 * <li>every age is the first entry of such an index, one probe per subscription.
 * </ol>
 *
 * Events of a type nobody subscribes to count as pending, but have no age: they wait for
 * a worker or a later handler, and may wait for ever.
 */
public final class Backlog {

    /** Where counts stop. */
    public static final int LIMIT = 10_000;

    /** Where the counts of single handlers stop. */
    public static final int HANDLER_LIMIT = 1_000;

    /**
     * @param events PENDING and PROCESSING events
     * @param notifications notifications that are open or ended without success
     * @param oldestPendingAge how long the event or notification that is due longest has
     * been waiting for fan-out, a free handler or a resume; zero when nothing is due
     */
    public record Depth(Map<EventStatus, Integer> events, Map<NotificationState, Integer> notifications,
            Duration oldestPendingAge) {
    }

    private static final String OPEN = "state IN ('PENDING', 'FAILED')";

    private static final String OLDEST = """
            SELECT 'OLDEST' AS what, 0 AS amount, MIN(x.due) AS oldest, {now} AS asked_at FROM (
                SELECT (SELECT n.next_retry_at FROM {event_notifications} n {index:event_notifications_due}
                    WHERE n.{open_handler} = h.handler_name AND n.state IN ('PENDING', 'FAILED')
                    ORDER BY n.next_retry_at LIMIT 1) AS due FROM {event_handlers} h
                UNION ALL
                SELECT (SELECT e.available_at FROM {events} e {index:events_pending}
                    WHERE e.{pending_type} = h.event_type AND e.status = 'PENDING'
                    ORDER BY e.available_at LIMIT 1) AS due FROM {event_handlers} h
                    WHERE h.replaced_by IS NULL AND h.retired = FALSE) x
            """;

    static final String DEPTH = String.join("\nUNION ALL\n", OLDEST,
            count("PENDING EVENT", "{events} {index:events_pending}", "{pending_type} > '' AND status = 'PENDING'"),
            count("PROCESSING EVENT", "{events} {index:events_processing}",
                    "{processing_until} IS NOT NULL AND status = 'PROCESSING'"),
            notifications(NotificationState.PENDING, "event_notifications_open", "state", "open_since"),
            notifications(NotificationState.WAITING, "event_notifications_open", "state", "open_since"),
            notifications(NotificationState.FAILED, "event_notifications_open", "state", "open_since"),
            notifications(NotificationState.DEAD, "event_notifications_dead", "{dead_state}", "dead_at"),
            notifications(NotificationState.EXPIRED, "event_notifications_dead", "{dead_state}", "dead_at"));

    static final Map<String, Object> PARAMETERS = Map.of("limit", LIMIT);

    private record Row(String what, int amount, @Nullable Instant oldest, @Nullable Instant askedAt) {
    }

    private final Database database;

    public Backlog(Database database) {
        this.database = database;
    }

    public Depth depth() {
        return toDepth(database.inOwnTransaction(() -> database.steadyQuery(DEPTH, PARAMETERS, true, this::row)));
    }

    /** Open notifications of each of {@code handlers}, counted up to the limit. */
    public Map<String, Integer> openByHandler(Collection<String> handlers) {
        Map<String, Integer> open = new LinkedHashMap<>();
        if (handlers.isEmpty()) {
            return open;
        }
        List<String> names = List.copyOf(handlers);
        Map<String, Object> parameters = new HashMap<>(Map.of("limit", HANDLER_LIMIT));
        List<String> counts = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            parameters.put("name" + i, names.get(i));
            counts.add(count(String.valueOf(i), "{event_notifications} {index:event_notifications_due}",
                    "{open_handler} = :name" + i + " AND " + OPEN));
        }
        database
            .inOwnTransaction(
                    () -> database.steadyQuery(String.join("\nUNION ALL\n", counts), parameters, true, this::row))
            .forEach(row -> open.put(names.get(Integer.parseInt(row.what())), row.amount()));
        return open;
    }

    private static String notifications(NotificationState state, String index, String states, String times) {
        return count(state.name(), "{event_notifications} {index:" + index + "}",
                states + " = '" + state + "' AND {" + times + "} IS NOT NULL");
    }

    private static String count(String what, String table, String condition) {
        return "SELECT '" + what
                + "' AS what, COUNT(*) AS amount, NULL AS oldest, NULL AS asked_at FROM (SELECT 1 AS one FROM " + table
                + " WHERE " + condition + " LIMIT :limit) x";
    }

    private Row row(ResultSet rs, int number) throws SQLException {
        return new Row(rs.getString("what"), rs.getInt("amount"), database.dialect().instantOrNull(rs, "oldest"),
                database.dialect().instantOrNull(rs, "asked_at"));
    }

    private static Depth toDepth(List<Row> rows) {
        Map<EventStatus, Integer> events = new EnumMap<>(EventStatus.class);
        Map<NotificationState, Integer> notifications = new EnumMap<>(NotificationState.class);
        Duration age = Duration.ZERO;
        for (Row row : rows) {
            switch (row.what()) {
                case "OLDEST" -> age = age(row);
                case "PENDING EVENT" -> events.put(EventStatus.PENDING, row.amount());
                case "PROCESSING EVENT" -> events.put(EventStatus.PROCESSING, row.amount());
                default -> notifications.put(NotificationState.valueOf(row.what()), row.amount());
            }
        }
        return new Depth(events, notifications, age);
    }

    private static Duration age(Row row) {
        if (row.oldest() == null || row.askedAt() == null || row.oldest().isAfter(row.askedAt())) {
            return Duration.ZERO;
        }
        return Duration.between(row.oldest(), row.askedAt());
    }

}
