package io.eventqueue.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.eventqueue.AttemptAction;
import io.eventqueue.EventAttempt;
import io.eventqueue.EventStatus;
import io.eventqueue.QueuedEvent;
import io.eventqueue.outbox.EventPage;
import io.eventqueue.outbox.FailedAttempt;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.util.RawValue;

/** The bodies of answers. Their fields, in this order, are the API's contract. */
final class Views {

    private Views() {
    }

    /** An event in full. */
    record EventDetails(UUID id, String title, @Nullable String description, String tags, EventStatus status,
            RawValue payload, int retryCount, int maxRetries, @Nullable Instant nextRetryAt, Instant createdAt,
            Instant updatedAt, @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<LogLine> logs) {

        static EventDetails of(QueuedEvent event, @Nullable List<EventAttempt> audit) {
            return new EventDetails(event.id(), titleOf(event), event.description(), tagsOf(event), event.status(),
                    new RawValue(event.payload()), event.retryCount(), event.maxRetries(), nextRetryOf(event),
                    event.createdAt(), event.updatedAt(),
                    audit == null ? null : audit.stream().map(LogLine::of).toList());
        }

    }

    /** What a worker gets. */
    record PickedEvent(UUID id, String title, String tags, EventStatus status, RawValue payload, int retryCount,
            int maxRetries, Instant createdAt) {

        static PickedEvent of(QueuedEvent event) {
            return new PickedEvent(event.id(), titleOf(event), tagsOf(event), event.status(),
                    new RawValue(event.payload()), event.retryCount(), event.maxRetries(), event.createdAt());
        }

    }

    /** One line of a list. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record ListedEvent(UUID id, String title, EventStatus status, String tags, int retryCount,
            @Nullable Instant nextRetryAt, Instant createdAt, Instant updatedAt) {

        static ListedEvent of(QueuedEvent event) {
            return new ListedEvent(event.id(), titleOf(event), event.status(), tagsOf(event), event.retryCount(),
                    nextRetryOf(event), event.createdAt(), event.updatedAt());
        }

    }

    /** A page of a list. */
    record EventList(List<ListedEvent> events, long total, int limit, int offset) {

        static EventList of(EventPage page, int limit, int offset) {
            return new EventList(page.events().stream().map(ListedEvent::of).toList(), page.total(), limit, offset);
        }

    }

    /** One line of an event's history. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record LogLine(long id, @Nullable String workerId, AttemptAction action, @Nullable Integer statusCode,
            @Nullable String errorMessage, @Nullable Long executionTimeMs, Instant createdAt) {

        static LogLine of(EventAttempt attempt) {
            return new LogLine(attempt.id(), attempt.workerId(), attempt.action(), attempt.statusCode(),
                    attempt.error(), attempt.executionTimeMs(), attempt.createdAt());
        }

    }

    /** What was recorded for a worker's or an operator's call. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Recorded(UUID eventId, @Nullable String workerId, AttemptAction action, @Nullable Integer statusCode,
            @Nullable String errorMessage, @Nullable Long executionTimeMs, @Nullable Boolean retryScheduled,
            @Nullable Instant nextRetryAt, @Nullable String reason, Instant createdAt) {

        static Recorded of(EventAttempt attempt) {
            return new Recorded(attempt.eventId(), attempt.workerId(), attempt.action(), attempt.statusCode(),
                    attempt.error(), attempt.executionTimeMs(), null, null, null, attempt.createdAt());
        }

        static Recorded of(FailedAttempt failed) {
            EventAttempt attempt = failed.attempt();
            return new Recorded(attempt.eventId(), attempt.workerId(), attempt.action(), attempt.statusCode(),
                    attempt.error(), attempt.executionTimeMs(), true, attempt.retryAt(), null, attempt.createdAt());
        }

        static Recorded ofReset(EventAttempt attempt) {
            return new Recorded(attempt.eventId(), attempt.workerId(), attempt.action(), null, null, null, null, null,
                    attempt.error(), attempt.createdAt());
        }

    }

    /** How long an event still belongs to its worker. */
    record Lease(UUID eventId, String workerId, Instant leaseUntil) {
    }

    /** Events that the application published need no title: their type says as much. */
    private static String titleOf(QueuedEvent event) {
        return Objects.requireNonNullElse(event.title(), event.eventType());
    }

    private static String tagsOf(QueuedEvent event) {
        return String.join(",", event.tags());
    }

    /** Only while it is to come: a failure or a reset sets both times at once. */
    private static @Nullable Instant nextRetryOf(QueuedEvent event) {
        boolean waits = event.status() == EventStatus.PENDING && event.retryCount() > 0
                && event.availableAt().isAfter(event.updatedAt());
        return waits ? event.availableAt() : null;
    }

}
