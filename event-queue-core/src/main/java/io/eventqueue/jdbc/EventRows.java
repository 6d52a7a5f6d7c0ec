package io.eventqueue.jdbc;

import io.eventqueue.ActionContext;
import io.eventqueue.EventStatus;
import io.eventqueue.Notification;
import io.eventqueue.NotificationState;
import io.eventqueue.QueuedEvent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows of {@code events}, {@code event_notifications} and {@code event_log}.
 */
public final class EventRows {

    /** What a notification keeps of its event, under the same names in both tables. */
    public static final String KEPT = """
            namespace, action_id, action_name, action_params, started_date, completion_date, model_id, model_type,
            event_type, payload, headers, event_key, event_date, available_at""";

    /** {@link #KEPT} of the event {@code e}. */
    public static final String KEPT_OF_E = KEPT.replaceAll("\\w+", "e.$0");

    private final Function<@Nullable String, Map<String, String>> headers;

    /**
     * @param headers reads the headers column
     */
    public EventRows(Function<@Nullable String, Map<String, String>> headers) {
        this.headers = headers;
    }

    /** Looks among live events first: a row moves from there to the log, never back. */
    public Optional<QueuedEvent> find(Database database, UUID id) {
        Map<String, Object> parameters = Map.of("id", database.dialect().id(id));
        return database
            .query("SELECT * FROM {events} WHERE id = :id", parameters, (rs, n) -> live(database.dialect(), rs))
            .stream()
            .findFirst()
            .or(() -> database
                .query("SELECT * FROM {event_log} WHERE id = :id", parameters,
                        (rs, n) -> logged(database.dialect(), rs))
                .stream()
                .findFirst());
    }

    /** The deliveries of one event, by handler name. */
    public static List<Notification> notifications(Database database, UUID eventId) {
        Dialect dialect = database.dialect();
        return database.query("""
                SELECT id, event_id, handler_name, state, attempts, next_retry_at, owner, last_error, updated_date
                FROM {event_notifications} WHERE event_id = :id ORDER BY handler_name""",
                Map.of("id", dialect.id(eventId)), (rs, row) -> notification(dialect, rs));
    }

    private static Notification notification(Dialect dialect, ResultSet rs) throws SQLException {
        NotificationState state = NotificationState.valueOf(rs.getString("state"));
        return new Notification(dialect.id(rs, "id"), dialect.id(rs, "event_id"), text(rs, "handler_name"), state,
                rs.getInt("attempts"), state.isTerminal() ? null : dialect.instant(rs, "next_retry_at"),
                rs.getString("owner"), rs.getString("last_error"), dialect.instant(rs, "updated_date"));
    }

    public QueuedEvent live(Dialect dialect, ResultSet rs) throws SQLException {
        return event(dialect, rs, null, "updated_at");
    }

    public QueuedEvent logged(Dialect dialect, ResultSet rs) throws SQLException {
        return event(dialect, rs, rs.getString("errors"), "finalized_at");
    }

    private QueuedEvent event(Dialect dialect, ResultSet rs, @Nullable String errors, String updatedColumn)
            throws SQLException {
        String tags = rs.getString("tags");
        return new QueuedEvent(dialect.id(rs, "id"), EventStatus.valueOf(rs.getString("status")),
                text(rs, "event_type"), text(rs, "payload"), rs.getString("event_key"),
                tags == null ? List.of() : List.of(tags.split(",")), headers.apply(rs.getString("headers")),
                rs.getString("title"), rs.getString("description"), action(dialect, rs),
                dialect.instant(rs, "event_date"), dialect.instant(rs, "available_at"), rs.getInt("attempts"),
                rs.getInt("retry_count"), rs.getInt("max_retries"), rs.getString("worker_id"), errors,
                dialect.instant(rs, "created_at"), dialect.instant(rs, updatedColumn));
    }

    /**
     * The action context, which {@code events}, {@code event_notifications} and
     * {@code event_log} share.
     */
    public static ActionContext action(Dialect dialect, ResultSet rs) throws SQLException {
        return new ActionContext(text(rs, "namespace"), dialect.id(rs, "action_id"), text(rs, "action_name"),
                text(rs, "action_params"), dialect.instant(rs, "started_date"), dialect.instant(rs, "completion_date"),
                rs.getString("model_id"), rs.getString("model_type"));
    }

    private static String text(ResultSet rs, String column) throws SQLException {
        String value = rs.getString(column);
        return value == null ? "" : value;
    }

}
