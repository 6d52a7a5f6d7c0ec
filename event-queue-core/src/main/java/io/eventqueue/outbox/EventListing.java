package io.eventqueue.outbox;

import io.eventqueue.QueuedEvent;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.EventRows;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Lists live and finalized events together, ordered by id, which is the order of
 * publishing unless the caller chose the ids. Reads ids first and whole rows for one page
 * only.
 */
final class EventListing {

    /** As the databases order them: by their bytes. */
    private static final Comparator<UUID> NEWEST_FIRST = Comparator.comparing(UUID::toString).reversed();

    private final List<Database> databases;

    private final EventRows rows;

    EventListing(List<Database> databases, EventRows rows) {
        this.databases = databases;
        this.rows = rows;
    }

    EventPage list(EventFilter filter) {
        Set<UUID> newest = new LinkedHashSet<>();
        long total = 0;
        for (Database database : databases) {
            // Live ones first: a row that is finalized meanwhile is seen twice, not
            // never.
            for (String table : List.of("{events}", "{event_log}")) {
                newest.addAll(ids(database, table, filter));
                total += count(database, table, filter);
            }
        }
        List<QueuedEvent> page = newest.stream()
            .sorted(NEWEST_FIRST)
            .skip(filter.offset())
            .limit(filter.limit())
            .map(this::find)
            .flatMap(Optional::stream)
            .toList();
        return new EventPage(page, total);
    }

    private Optional<QueuedEvent> find(UUID id) {
        return databases.stream().map(database -> rows.find(database, id)).flatMap(Optional::stream).findFirst();
    }

    private List<UUID> ids(Database database, String table, EventFilter filter) {
        Map<String, Object> parameters = parameters(database, filter);
        parameters.put("limit", (long) filter.offset() + filter.limit());
        return database.query("SELECT id FROM " + table + where(filter) + " ORDER BY id DESC LIMIT :limit", parameters,
                (rs, row) -> database.dialect().id(rs, "id"));
    }

    private long count(Database database, String table, EventFilter filter) {
        return database
            .query("SELECT count(*) FROM " + table + where(filter), parameters(database, filter),
                    (rs, row) -> rs.getLong(1))
            .getFirst();
    }

    private static String where(EventFilter filter) {
        List<String> conditions = new ArrayList<>(List.of("event_type IS NOT NULL"));
        if (!filter.statuses().isEmpty()) {
            conditions.add("status {any:statuses}");
        }
        if (!filter.tags().isEmpty()) {
            conditions.add("id IN (SELECT event_id FROM {event_tags} WHERE tag {any:tags})");
        }
        return " WHERE " + String.join(" AND ", conditions);
    }

    private static Map<String, Object> parameters(Database database, EventFilter filter) {
        Map<String, Object> parameters = new HashMap<>();
        if (!filter.statuses().isEmpty()) {
            parameters.put("statuses", database.dialect().strings(filter.statuses().stream().map(Enum::name).toList()));
        }
        if (!filter.tags().isEmpty()) {
            parameters.put("tags", database.dialect().strings(filter.tags()));
        }
        return parameters;
    }

}
