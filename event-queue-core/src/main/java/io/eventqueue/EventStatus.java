package io.eventqueue;

/**
 * Where an event stands.
 *
 * <pre>
 * PENDING ─▶ DELIVERED  ─▶ COMPLETED | COMPLETED_WITH_ERRORS            fanned out to handlers
 *    │  ▲
 *    ▼  │ retry, lease ended, reset
 * PROCESSING ─▶ COMPLETED | COMPLETED_WITH_ERRORS | FAILED              pulled by a worker
 * </pre>
 *
 * On PostgreSQL an event is also PROCESSING while a node runs its only handler; if that
 * takes longer or fails, the event becomes DELIVERED with a notification. The last three
 * are terminal and found in {@code event_log} only.
 */
public enum EventStatus {

    PENDING, PROCESSING, DELIVERED, COMPLETED, COMPLETED_WITH_ERRORS, FAILED

}
