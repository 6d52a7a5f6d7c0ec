package io.eventqueue.autoconfigure.actuate;

import io.eventqueue.DeadLetter;
import io.eventqueue.DeadLetterFilter;
import io.eventqueue.DeadLetters;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What the endpoint shows of dead letters and does with them. */
final class DeadLetterOperations {

    private static final int LARGEST_LIST = 1000;

    private final DeadLetters deadLetters;

    DeadLetterOperations(DeadLetters deadLetters) {
        this.deadLetters = deadLetters;
    }

    List<DeadLetter> list(@Nullable String handler, @Nullable String error, @Nullable Integer limit) {
        if (limit != null && (limit < 1 || limit > LARGEST_LIST)) {
            throw new InvalidOperationException("limit is " + limit + ": use 1 to " + LARGEST_LIST);
        }
        return deadLetters.list(filter(handler, error).limit(limit));
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
    int actOnMany(String action, @Nullable String handler, @Nullable String error, boolean all, String by) {
        boolean filtered = handler != null || error != null;
        if (filtered == all) {
            throw new InvalidOperationException(filtered ? "Send handler and error, or all, not both"
                    : "Say which dead letters: send handler, error or both, or \"all\": true");
        }
        return switch (action) {
            case "replay" -> deadLetters.replay(filter(handler, error), by);
            case "discard" -> deadLetters.discard(filter(handler, error), by);
            default -> throw unknown(action);
        };
    }

    private static DeadLetterFilter filter(@Nullable String handler, @Nullable String error) {
        return DeadLetterFilter.all().handler(handler).error(error);
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
