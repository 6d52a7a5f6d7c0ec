package io.eventqueue.handling;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.jdbc.Database;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;

/**
 * Writes this node's handlers into {@code event_handlers}, where every node's fan-out
 * finds them, and keeps them fresh.
 *
 * <p>
 * Of a name and the name that replaced it, exactly one is subscribed. A node that lists
 * an alias marks it as replaced. A node that still uses the old name (before or after a
 * roll-back) takes the subscription back only when no node has refreshed the new name for
 * a while.
 */
public final class Subscriptions {

    /**
     * A name not refreshed for this long has no node that runs. Several times the refresh
     * interval.
     */
    static final Duration FRESH = Duration.ofMinutes(5);

    /**
     * A subscription {@code h} counts until it is retired, renamed, or unseen for the
     * retention window.
     */
    public static final String ACTIVE = "h.replaced_by IS NULL AND h.retired = FALSE AND h.last_seen > {now+:window}";

    /** How often this node says that its subscriptions still exist. */
    private static final Duration REFRESH = Duration.ofMinutes(1);

    private final Database database;

    private final EventHandlerRegistry registry;

    private final Set<String> retired;

    private @Nullable Long refreshedNanos;

    public Subscriptions(Database database, EventHandlerRegistry registry) {
        this(database, registry, Set.of());
    }

    /**
     * @param retired names that end at once, whichever node still has them
     */
    Subscriptions(Database database, EventHandlerRegistry registry, Set<String> retired) {
        this.database = database;
        this.registry = registry;
        this.retired = retired;
    }

    /** Refreshes if it was not done within the last minute. */
    public synchronized void refreshWhenDue() {
        if (refreshedNanos == null) {
            comeBack();
        }
        if (refreshedNanos == null || System.nanoTime() - refreshedNanos > REFRESH.toNanos()) {
            refresh();
            retire();
            refreshedNanos = System.nanoTime();
        }
    }

    /**
     * A node that starts with a handler under a retired name brings it back, as after a
     * roll-back. Nodes that run already do not: otherwise they would undo the retirement
     * during a rolling deployment.
     */
    private void comeBack() {
        mark(registry.handlers().stream().map(HandlerDefinition::name).toList(), false);
    }

    private void retire() {
        mark(retired, true);
    }

    private void mark(Collection<String> names, boolean asRetired) {
        if (!names.isEmpty()) {
            Map<String, Object> parameters = Map.of("names", database.dialect().strings(names), "retired", asRetired);
            database.inOwnTransaction(() -> database.update("""
                    UPDATE {event_handlers} SET retired = :retired
                    WHERE handler_name {any:names} AND retired <> :retired""", parameters));
        }
    }

    /**
     * Names that nobody handles any more: configured here, or retired by anybody else.
     */
    Set<String> retiredNames() {
        Set<String> names = new LinkedHashSet<>(retired);
        names.addAll(database.query("SELECT DISTINCT handler_name FROM {event_handlers} WHERE retired = TRUE", Map.of(),
                (rs, row) -> rs.getString(1)));
        return names;
    }

    /**
     * Start-up and every refresh do the same; repeating it changes nothing but
     * {@code last_seen}.
     */
    private void refresh() {
        for (HandlerDefinition handler : registry.handlers()) {
            handler.eventTypes().keySet().forEach(type -> refresh(handler, type));
            for (String alias : handler.aliases()) {
                database.inOwnTransaction(() -> replace(alias, handler.name()));
            }
            database.inOwnTransaction(() -> takeBack(handler.name()));
        }
    }

    private void refresh(HandlerDefinition handler, String type) {
        Map<String, Object> row = new HashMap<>();
        row.put("name", handler.name());
        row.put("type", type);
        row.put("priority", handler.priority());
        row.put("ordered", handler.ordered());
        int updated = update(row);
        if (updated == 0) {
            row.put("paused", isPaused(handler));
            try {
                database.inOwnTransaction(() -> database.update(
                        """
                                INSERT INTO {event_handlers} (handler_name, event_type, priority, ordered, paused, retired, last_seen)
                                VALUES (:name, :type, :priority, :ordered, :paused, FALSE, {now})""",
                        row));
            }
            catch (DuplicateKeyException anotherNodeWasFaster) {
                update(row);
            }
        }
    }

    /** A paused handler stays so when it gets another event type or a new name. */
    private boolean isPaused(HandlerDefinition handler) {
        List<String> names = new ArrayList<>(handler.aliases());
        names.add(handler.name());
        return !database
            .query("SELECT 1 FROM {event_handlers} WHERE handler_name {any:names} AND paused = TRUE",
                    Map.of("names", database.dialect().strings(names)), (rs, row) -> row)
            .isEmpty();
    }

    private int update(Map<String, Object> row) {
        return database.inOwnTransaction(() -> database.update("""
                UPDATE {event_handlers} SET last_seen = {now}, priority = :priority, ordered = :ordered
                WHERE handler_name = :name AND event_type = :type""", row));
    }

    private int replace(String alias, String name) {
        Map<String, Object> names = Map.of("alias", alias, "name", name);
        database.update(
                "UPDATE {event_handlers} SET replaced_by = NULL WHERE handler_name = :name AND replaced_by = :alias",
                names);
        return database.update("UPDATE {event_handlers} SET replaced_by = :name WHERE handler_name = :alias", names);
    }

    private int takeBack(String name) {
        Map<String, Object> parameters = Map.of("name", name, "fresh", -FRESH.toNanos() / 1000);
        for (String successor : database
            .query("""
                    SELECT DISTINCT h.replaced_by FROM {event_handlers} h
                    WHERE h.handler_name = :name AND h.replaced_by IS NOT NULL AND NOT EXISTS (
                        SELECT 1 FROM {event_handlers} s WHERE s.handler_name = h.replaced_by AND s.last_seen > {now+:fresh})""",
                    parameters, (rs, row) -> rs.getString(1))) {
            Map<String, Object> swap = Map.of("name", name, "successor", successor);
            database.update("UPDATE {event_handlers} SET replaced_by = NULL WHERE handler_name = :name", swap);
            database.update("UPDATE {event_handlers} SET replaced_by = :name WHERE handler_name = :successor", swap);
        }
        return 0;
    }

}
