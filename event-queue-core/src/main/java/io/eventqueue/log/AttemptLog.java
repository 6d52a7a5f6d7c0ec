package io.eventqueue.log;

import io.eventqueue.AttemptAction;
import io.eventqueue.EventAttempt;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.Dialect;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes and reads {@code event_attempts}, the audit of what workers did. */
public final class AttemptLog {

    /** The error class of a failure that the worker never reported. */
    public static final String LEASE_ENDED = "LeaseEnded";

    private final Database database;

    private final CurrentTrace trace;

    public AttemptLog(Database database, CurrentTrace trace) {
        this.database = database;
        this.trace = trace;
    }

    /**
     * What happened to one event.
     *
     * @param errorClass {@link #LEASE_ENDED} if nobody reported it
     * @param retryMicros when the event is due again, from now; null if it is not
     */
    public record Line(UUID eventId, @Nullable String workerId, AttemptAction action, int attempt,
            @Nullable Integer statusCode, @Nullable Long executionTimeMs, @Nullable String errorClass,
            @Nullable String error, @Nullable Long retryMicros) {

        public static Line of(UUID eventId, @Nullable String workerId, AttemptAction action, int attempt,
                @Nullable String error) {
            return new Line(eventId, workerId, action, attempt, null, null, null, error, null);
        }

    }

    public void write(Line line) {
        Map<String, @Nullable Object> row = new HashMap<>();
        row.put("eventId", database.dialect().id(line.eventId()));
        row.put("worker", line.workerId());
        row.put("action", line.action().name());
        row.put("attempt", line.attempt());
        row.put("status", line.statusCode());
        row.put("millis", line.executionTimeMs());
        row.put("class", line.errorClass());
        row.put("error", line.error());
        row.put("retry", line.retryMicros());
        row.put("trace", trace.id());
        database.update("""
                INSERT INTO {event_attempts} (event_id, worker_id, action, attempt, status_code, execution_time_ms,
                    error_class, error_message, trace_id, retry_at, created_at)
                VALUES (:eventId, :worker, :action, :attempt, :status, :millis, :class, :error, :trace, %s, {now})
                """.formatted(line.retryMicros() == null ? "NULL" : "{now+:retry}"), row);
    }

    /** Everything that happened to an event, oldest first. */
    public List<EventAttempt> of(UUID eventId) {
        return database.query("SELECT * FROM {event_attempts} WHERE event_id = :id ORDER BY id",
                Map.of("id", database.dialect().id(eventId)), (rs, row) -> read(rs));
    }

    /** The last thing of that kind that a worker itself did with an event. */
    public Optional<EventAttempt> last(UUID eventId, String workerId, @Nullable Integer attempt, AttemptAction action) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("id", database.dialect().id(eventId));
        parameters.put("worker", workerId);
        parameters.put("action", action.name());
        parameters.put("attempt", attempt == null ? 0 : attempt);
        parameters.put("notReported", LEASE_ENDED);
        return database
            .query("SELECT * FROM {event_attempts} WHERE event_id = :id AND worker_id = :worker AND action = :action"
                    + " AND (error_class IS NULL OR error_class <> :notReported)"
                    + (attempt == null ? "" : " AND attempt = :attempt") + " ORDER BY id DESC LIMIT 1", parameters,
                    (rs, row) -> read(rs))
            .stream()
            .findFirst();
    }

    private EventAttempt read(ResultSet rs) throws SQLException {
        Dialect dialect = database.dialect();
        return new EventAttempt(rs.getLong("id"), dialect.id(rs, "event_id"), rs.getString("handler_name"),
                rs.getString("worker_id"), AttemptAction.valueOf(rs.getString("action")), rs.getInt("attempt"),
                rs.getObject("status_code", Integer.class), rs.getObject("execution_time_ms", Long.class),
                rs.getString("error_class"), rs.getString("error_message"), dialect.instantOrNull(rs, "retry_at"),
                dialect.instant(rs, "created_at"));
    }

}
