package io.eventqueue.outbox;

import io.eventqueue.QueuedEvent;
import java.util.List;

/**
 * A part of a list, newest first.
 *
 * @param total how many events match, on all pages together
 */
public record EventPage(List<QueuedEvent> events, long total) {
}
