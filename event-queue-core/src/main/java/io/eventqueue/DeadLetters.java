package io.eventqueue;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What the engine has given up on, for somebody to look at and to decide. A dead letter
 * stays until it is replayed, discarded, or older than the dead letter retention. Both
 * decisions are kept in {@code event_attempts} with who made them.
 *
 * <p>
 * A replayed delivery starts over as if it had just been published: it has all its
 * attempts and the whole retention window again, also when its event was finalized long
 * ago. When it succeeds, the event's row in the log becomes COMPLETED if no other handler
 * failed. That row keeps its position: a projection that has read it does not read it
 * again.
 */
public interface DeadLetters {

    /** How many {@link #list} returns unless the filter says otherwise. */
    int DEFAULT_LIMIT = 100;

    /** Newest first, at most {@link #DEFAULT_LIMIT} unless the filter has a limit. */
    List<DeadLetter> list(DeadLetterFilter filter);

    /** How many there are; the page and limit of the filter do not count. */
    long count(DeadLetterFilter filter);

    Optional<DeadLetter> find(UUID id);

    /**
     * Delivers it once more, now.
     * @param by who wants it, for the audit
     * @return false if there is no such dead letter (any more); nothing happened then
     */
    boolean replay(UUID id, String by);

    /**
     * Delivers all that match once more, oldest first and in transactions of a few
     * hundred. Those that fail again meanwhile are not replayed again.
     * @return how many
     */
    int replay(DeadLetterFilter filter, String by);

    /**
     * Gives up on it for good: it leaves the list, its event stays COMPLETED_WITH_ERRORS.
     * @return false if there is no such dead letter (any more); nothing happened then
     */
    boolean discard(UUID id, String by);

    /** Gives up on all that match, as {@link #discard(UUID, String)} does. */
    int discard(DeadLetterFilter filter, String by);

}
