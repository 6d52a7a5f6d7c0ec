package io.eventqueue.handling;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.jdbc.Backlog;
import io.eventqueue.jdbc.Database;
import io.eventqueue.loop.Handover;
import io.eventqueue.loop.Signals.Signal;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What an operator does with the handlers on one database, for all nodes at once: the
 * table of subscriptions says it, and every claim and every fan-out reads that table. The
 * names a handler had before (its aliases) are included.
 */
public final class SubscriptionControl {

    private static final int BATCH = 500;

    private static final String NAMED = "(handler_name = :name OR replaced_by = :name)";

    /**
     * A handler as all nodes know it.
     *
     * @param replacedBy the handler that has this name as an alias
     * @param lastSeen when a node that has it last said so
     * @param open notifications that are not done, counted up to
     * {@link Backlog#HANDLER_LIMIT}
     */
    public record Subscription(String handler, SortedSet<String> eventTypes, int priority, @Nullable String replacedBy,
            boolean paused, boolean retired, Instant lastSeen, int open) {
    }

    private final Database database;

    private final Expiry expiry;

    public SubscriptionControl(Database database) {
        this.database = database;
        this.expiry = new Expiry(database, Duration.ZERO,
                new Lanes(database, EventHandlerRegistry.eventHandlerRegistry().build()), new Precedence(database));
    }

    /** All handlers, ordered by name. */
    public List<Subscription> list() {
        Map<String, Subscription> found = new LinkedHashMap<>();
        database.query("SELECT * FROM {event_handlers} ORDER BY handler_name, event_type", Map.of(), (rs, row) -> {
            Subscription one = new Subscription(rs.getString("handler_name"),
                    new TreeSet<>(List.of(rs.getString("event_type"))), rs.getInt("priority"),
                    rs.getString("replaced_by"), rs.getBoolean("paused"), rs.getBoolean("retired"),
                    database.dialect().instant(rs, "last_seen"), 0);
            return found.merge(one.handler(), one, SubscriptionControl::merged);
        });
        Map<String, Integer> open = new Backlog(database).openByHandler(found.keySet());
        return found.values().stream().map(one -> withOpen(one, open.getOrDefault(one.handler(), 0))).toList();
    }

    /**
     * No node starts it any more; what it is running ends normally. Events keep being
     * fanned out to it. On other nodes that publish for it themselves it may start for
     * two more seconds. False: there is no handler of that name.
     */
    public boolean pause(String handler) {
        return update("paused = TRUE", handler);
    }

    /**
     * Takes back a pause, or a retirement: then it gets the events published from now on.
     * False: there is no handler of that name.
     */
    public boolean resume(String handler) {
        boolean known = update("paused = FALSE, retired = FALSE", handler);
        database.shard().signals().raise(Signal.NOTIFICATIONS);
        return known;
    }

    /**
     * Ends the subscription, and all its deliveries that nobody is working on. False:
     * there is no handler of that name.
     */
    public boolean retire(String handler) {
        boolean known = update("retired = TRUE", handler);
        for (String name : namesOf(handler)) {
            while (expiry.expireOf(name, BATCH) > 0) {
                // the next batch
            }
        }
        return known;
    }

    private boolean update(String change, String handler) {
        int updated = database.inOwnTransaction(() -> database
            .update("UPDATE {event_handlers} SET " + change + " WHERE " + NAMED, Map.of("name", handler)));
        Handover handover = database.shard().signals().handover();
        if (handover != null) {
            handover.withdraw();
        }
        return updated > 0;
    }

    private List<String> namesOf(String handler) {
        return database.query("SELECT DISTINCT handler_name FROM {event_handlers} WHERE " + NAMED,
                Map.of("name", handler), (rs, row) -> rs.getString(1));
    }

    private static Subscription merged(Subscription a, Subscription b) {
        SortedSet<String> types = new TreeSet<>(a.eventTypes());
        types.addAll(b.eventTypes());
        return new Subscription(a.handler(), types, a.priority(), a.replacedBy(), a.paused() || b.paused(),
                a.retired() || b.retired(), a.lastSeen().isAfter(b.lastSeen()) ? a.lastSeen() : b.lastSeen(), 0);
    }

    private static Subscription withOpen(Subscription one, int open) {
        return new Subscription(one.handler(), one.eventTypes(), one.priority(), one.replacedBy(), one.paused(),
                one.retired(), one.lastSeen(), open);
    }

}
