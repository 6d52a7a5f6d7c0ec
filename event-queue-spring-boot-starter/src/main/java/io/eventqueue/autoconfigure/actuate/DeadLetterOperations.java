package io.eventqueue.autoconfigure.actuate;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.eventqueue.DeadLetter;
import io.eventqueue.DeadLetterFilter;
import io.eventqueue.DeadLetterFilter.Position;
import io.eventqueue.DeadLetters;
import io.eventqueue.NotificationState;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What the endpoint shows of dead letters and does with them. */
final class DeadLetterOperations {

    private static final int LARGEST_LIST = 1000;

    private static final String PLACE_SEPARATOR = "_";

    private final DeadLetters deadLetters;

    DeadLetterOperations(DeadLetters deadLetters) {
        this.deadLetters = deadLetters;
    }

    /**
     * A part of the list.
     *
     * @param next what to send as {@code after} to get the following part; null: this is
     * the end
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Page(List<DeadLetter> deadLetters, @Nullable String next) {
    }

    Page list(DeadLetterFilter which, @Nullable String after, @Nullable Integer limit) {
        int size = limit == null ? DeadLetters.DEFAULT_LIMIT : limit;
        if (size < 1 || size > LARGEST_LIST) {
            throw new InvalidOperationException("limit is " + limit + ": use 1 to " + LARGEST_LIST);
        }
        List<DeadLetter> found = deadLetters.list(which.after(position(after)).limit(size + 1));
        return found.size() <= size ? new Page(found, null)
                : new Page(found.subList(0, size), place(found.get(size - 1)));
    }

    /** Stays valid when the dead letter itself is gone. */
    private static String place(DeadLetter letter) {
        return letter.endedAt() + PLACE_SEPARATOR + letter.id();
    }

    private static @Nullable Position position(@Nullable String place) {
        if (place == null) {
            return null;
        }
        String[] parts = place.split(PLACE_SEPARATOR, 2);
        try {
            return new Position(Instant.parse(parts[0]), UUID.fromString(parts[parts.length - 1]));
        }
        catch (DateTimeParseException | IllegalArgumentException e) {
            throw new InvalidOperationException(
                    "after is '" + place + "': send the value of next from the page before");
        }
    }

    Optional<DeadLetter> find(String id) {
        return deadLetters.find(uuid(id));
    }

    /** False: there is no such dead letter (any more). */
    boolean act(String id, String action, String by) {
        return switch (action) {
            case "replay" -> deadLetters.replay(uuid(id), by);
            case "discard" -> deadLetters.discard(uuid(id), by);
            default -> throw unknown(action);
        };
    }

    /** Returns how many. Those of everybody have to be asked for in so many words. */
    int actOnMany(String action, DeadLetterFilter which, boolean all, String by) {
        boolean filtered = !which.equals(DeadLetterFilter.all());
        if (filtered == all) {
            throw new InvalidOperationException(filtered ? "Send a filter, or all, not both"
                    : "Say which dead letters: send handler, eventType, error, state, since, until, or \"all\": true");
        }
        return switch (action) {
            case "replay" -> deadLetters.replay(which, by);
            case "discard" -> deadLetters.discard(which, by);
            default -> throw unknown(action);
        };
    }

    static DeadLetterFilter filter(@Nullable String handler, @Nullable String eventType, @Nullable String error,
            @Nullable String state, @Nullable String since, @Nullable String until) {
        return DeadLetterFilter.all()
            .handler(handler)
            .eventType(eventType)
            .error(error)
            .state(state(state))
            .since(instant("since", since))
            .until(instant("until", until));
    }

    private static @Nullable NotificationState state(@Nullable String state) {
        return switch (state) {
            case null -> null;
            case "DEAD" -> NotificationState.DEAD;
            case "EXPIRED" -> NotificationState.EXPIRED;
            default -> throw new InvalidOperationException("state is '" + state + "': use DEAD or EXPIRED");
        };
    }

    private static @Nullable Instant instant(String name, @Nullable String value) {
        try {
            return value == null ? null : Instant.parse(value);
        }
        catch (DateTimeParseException e) {
            throw new InvalidOperationException(
                    name + " is '" + value + "': use a time in UTC like 2026-01-31T08:00:00Z");
        }
    }

    private static InvalidOperationException unknown(String action) {
        return new InvalidOperationException("Unknown action '" + action + "' for dead letters: use replay or discard");
    }

    private static UUID uuid(String id) {
        try {
            return UUID.fromString(id);
        }
        catch (IllegalArgumentException e) {
            throw new InvalidOperationException(
                    "'" + id + "' is not the id of a dead letter: send the UUID from the list");
        }
    }

}
