package io.eventqueue.handling;

import io.eventqueue.ActionContext;
import io.eventqueue.jdbc.Dialect;
import io.eventqueue.jdbc.EventRows;
import io.eventqueue.loop.Handover.Committed;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A notification this node has claimed, as read from its row. Every later write names
 * {@link #id}, the node and {@link #attempt}: if any of them no longer fits, the write
 * changes nothing.
 *
 * @param handlerName as in the row: possibly an alias
 * @param attempt 1 for the first invocation
 * @param replayedAfter how many attempts there were before an operator replayed it; null
 * if nobody did
 * @param holds handlers of a later priority wait for this attempt to end
 * @param lane the key, if the handler takes the events of one key in order
 * @param abandonedBy the node whose lease ended, if the claim was taken over
 * @param onEvent the claim is on the event itself and the notification does not exist
 * yet, see {@link EventClaims}
 */
public record Claim(UUID id, UUID eventId, String handlerName, int attempt, String eventType, @Nullable String payload,
        @Nullable String headers, @Nullable String key, Instant eventDate, Instant availableAt, ActionContext action,
        @Nullable Integer replayedAfter, boolean holds, @Nullable String lane, @Nullable String abandonedBy,
        boolean onEvent) {

    /** The columns {@link #read} needs. */
    public static final String COLUMNS = """
            id, event_id, handler_name, attempts, event_type, payload, headers, event_key, event_date, available_at,
            namespace, action_id, action_name, action_params, started_date, completion_date, model_id, model_type,
            replayed_after, holds, lane""";

    /** The claim on a whole event that was inserted as claimed. */
    static Claim of(Committed event) {
        return new Claim(event.id(), event.id(), event.offer().handler(), 1, event.type(), event.payload(),
                event.headers(), event.key(), event.eventDate(), event.availableAt(), event.action(), null, false, null,
                null, true);
    }

    /** Reads a row whose {@code attempts} already counts this claim. */
    public static Claim read(Dialect dialect, ResultSet rs, int attempt, @Nullable String abandonedBy)
            throws SQLException {
        return read(dialect, rs, attempt, abandonedBy, false);
    }

    static Claim read(Dialect dialect, ResultSet rs, int attempt, @Nullable String abandonedBy, boolean onEvent)
            throws SQLException {
        return new Claim(dialect.id(rs, "id"), dialect.id(rs, "event_id"), rs.getString("handler_name"), attempt,
                rs.getString("event_type"), rs.getString("payload"), rs.getString("headers"), rs.getString("event_key"),
                dialect.instant(rs, "event_date"), dialect.instant(rs, "available_at"), EventRows.action(dialect, rs),
                onEvent ? null : rs.getObject("replayed_after", Integer.class), !onEvent && rs.getBoolean("holds"),
                onEvent ? null : rs.getString("lane"), abandonedBy, onEvent);
    }

    /** The same claim after {@link EventClaims#toNotifications}. */
    Claim onNotification() {
        return new Claim(id, eventId, handlerName, attempt, eventType, payload, headers, key, eventDate, availableAt,
                action, replayedAfter, holds, lane, abandonedBy, false);
    }

    /** How many of the attempts count for the retry policy: a replay starts anew. */
    int tries() {
        return replayedAfter == null ? attempt : attempt - replayedAfter;
    }
}
