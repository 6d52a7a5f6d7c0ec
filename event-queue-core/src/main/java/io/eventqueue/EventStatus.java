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
 * The last three are terminal and found in {@code event_log} only.
 */
public enum EventStatus {

    PENDING, PROCESSING, DELIVERED, COMPLETED, COMPLETED_WITH_ERRORS, FAILED

}
