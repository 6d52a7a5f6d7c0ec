package io.eventqueue;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters are meant; what is null does not restrict. Start from {@link #all()}
 * and narrow it down:
 *
 * <pre>{@code DeadLetterFilter.all().handler("send-invoice").error("SocketTimeoutException")}</pre>
 *
 * @param handler the name stored with the delivery
 * @param error a part of the error: of its class name or its message, by case
 * @param state DEAD or EXPIRED
 * @param since ended at this time or later
 * @param until ended before this time
 * @param after the last one of the page before; lists go on behind it
 * @param limit how many at most
 */
public record DeadLetterFilter(@Nullable String handler, @Nullable String eventType, @Nullable String error,
        @Nullable NotificationState state, @Nullable Instant since, @Nullable Instant until, @Nullable Position after,
        @Nullable Integer limit) {

    /** A place in the list, which is ordered by time and then by id. */
    public record Position(Instant endedAt, UUID id) {
    }

    public DeadLetterFilter {
        if (limit != null && limit < 1) {
            throw new IllegalArgumentException("limit is " + limit + ": use 1 or more");
        }
        if (state != null && state != NotificationState.DEAD && state != NotificationState.EXPIRED) {
            throw new IllegalArgumentException("A dead letter is DEAD or EXPIRED, never " + state);
        }
    }

    /** Every dead letter there is. */
    public static DeadLetterFilter all() {
        return new DeadLetterFilter(null, null, null, null, null, null, null, null);
    }

    public DeadLetterFilter handler(@Nullable String value) {
        return new DeadLetterFilter(value, eventType, error, state, since, until, after, limit);
    }

    public DeadLetterFilter eventType(@Nullable String value) {
        return new DeadLetterFilter(handler, value, error, state, since, until, after, limit);
    }

    public DeadLetterFilter error(@Nullable String value) {
        return new DeadLetterFilter(handler, eventType, value, state, since, until, after, limit);
    }

    public DeadLetterFilter state(@Nullable NotificationState value) {
        return new DeadLetterFilter(handler, eventType, error, value, since, until, after, limit);
    }

    public DeadLetterFilter since(@Nullable Instant value) {
        return new DeadLetterFilter(handler, eventType, error, state, value, until, after, limit);
    }

    public DeadLetterFilter until(@Nullable Instant value) {
        return new DeadLetterFilter(handler, eventType, error, state, since, value, after, limit);
    }

    /** Goes on behind {@code last}, the last one of the page before. */
    public DeadLetterFilter after(DeadLetter last) {
        return after(new Position(last.endedAt(), last.id()));
    }

    public DeadLetterFilter after(@Nullable Position value) {
        return new DeadLetterFilter(handler, eventType, error, state, since, until, value, limit);
    }

    public DeadLetterFilter limit(@Nullable Integer value) {
        return new DeadLetterFilter(handler, eventType, error, state, since, until, after, value);
    }

}
