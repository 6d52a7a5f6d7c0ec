package io.eventqueue.handling;

import io.eventqueue.DeadLetterFilter;
import io.eventqueue.DeadLetterFilter.Position;
import io.eventqueue.NotificationState;
import io.eventqueue.jdbc.Database;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A {@link DeadLetterFilter} as SQL, for one state at a time. */
final class DeadLetterQuery {

    private final Database database;

    private final Map<String, Object> parameters = new HashMap<>();

    private final StringBuilder conditions = new StringBuilder(
            "FROM {event_notifications} WHERE {dead_state} = :state");

    private final String order;

    DeadLetterQuery(Database database, DeadLetterFilter filter, @Nullable Position after, boolean oldestFirst) {
        this.database = database;
        this.order = oldestFirst ? " ORDER BY {dead_at}, id" : " ORDER BY {dead_at} DESC, id DESC";
        and("handler_name = :handler", "handler", filter.handler());
        and("event_type = :type", "type", filter.eventType());
        and("last_error LIKE :error ESCAPE '!'", "error", filter.error() == null ? null : containing(filter.error()));
        and("{dead_at} >= :since", "since",
                filter.since() == null ? null : database.dialect().timestamp(filter.since()));
        and("{dead_at} < :until", "until",
                filter.until() == null ? null : database.dialect().timestamp(filter.until()));
        if (after != null) {
            parameters.put("afterId", database.dialect().id(after.id()));
            String beyond = oldestFirst ? ">" : "<";
            and("({dead_at} %1$s :after OR ({dead_at} = :after AND id %1$s :afterId))".formatted(beyond), "after",
                    database.dialect().timestamp(after.endedAt()));
        }
    }

    private void and(String condition, String name, @Nullable Object value) {
        if (value != null) {
            conditions.append(" AND ").append(condition);
            parameters.put(name, value);
        }
    }

    private static String containing(String text) {
        return "%" + text.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%";
    }

    String rows(String columns) {
        return "SELECT " + columns + " " + conditions + order + " LIMIT :limit";
    }

    String count() {
        return "SELECT COUNT(*) " + conditions;
    }

    Map<String, Object> parameters(NotificationState state, int limit) {
        Map<String, Object> all = new HashMap<>(parameters);
        all.put("state", state.name());
        all.put("limit", limit);
        return all;
    }

}
