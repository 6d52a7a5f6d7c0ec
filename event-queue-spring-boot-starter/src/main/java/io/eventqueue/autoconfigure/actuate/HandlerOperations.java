package io.eventqueue.autoconfigure.actuate;

import io.eventqueue.handling.SubscriptionControl;
import io.eventqueue.handling.SubscriptionControl.Subscription;
import io.eventqueue.jdbc.Database;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What the endpoint shows of handlers and does with them, on all shards. */
final class HandlerOperations {

    /**
     * A handler on one shard.
     *
     * @param open deliveries that are not done, counted up to 1000
     */
    record HandlerDescription(String shard, String name, SortedSet<String> eventTypes, int priority,
            @Nullable String replacedBy, boolean paused, boolean retired, Instant lastSeen, int open) {

        static HandlerDescription of(Database database, Subscription one) {
            return new HandlerDescription(database.shard().name(), one.handler(), one.eventTypes(), one.priority(),
                    one.replacedBy(), one.paused(), one.retired(), one.lastSeen(), one.open());
        }
    }

    private final List<Database> databases;

    HandlerOperations(List<Database> databases) {
        this.databases = List.copyOf(databases);
    }

    List<HandlerDescription> list() {
        return databases.stream()
            .flatMap(database -> new SubscriptionControl(database).list()
                .stream()
                .map(subscription -> HandlerDescription.of(database, subscription)))
            .toList();
    }

    List<HandlerDescription> find(String name) {
        return list().stream().filter(one -> one.name().equals(name)).toList();
    }

    /** False: there is no such handler. */
    boolean act(String name, String action) {
        return switch (action) {
            case "pause" -> everywhere(control -> control.pause(name));
            case "resume" -> everywhere(control -> control.resume(name));
            case "retire" -> everywhere(control -> control.retire(name));
            default -> throw new InvalidOperationException(
                    "Unknown action '" + action + "' for a handler: use pause, resume or retire");
        };
    }

    private boolean everywhere(Predicate<SubscriptionControl> action) {
        boolean known = false;
        for (Database database : databases) {
            known |= action.test(new SubscriptionControl(database));
        }
        return known;
    }

    static Map<String, Object> done(String name, String action) {
        return Map.of("handler", name, "action", action);
    }

}
