package io.eventqueue.outbox;

import io.eventqueue.EventStatus;
import java.util.Set;

/**
 * Which events to list.
 *
 * @param statuses any of them; empty means all
 * @param tags any of them; empty means with or without
 * @param limit at most so many
 * @param offset leave out so many of the newest
 */
public record EventFilter(Set<EventStatus> statuses, Set<String> tags, int limit, int offset) {

    public EventFilter {
        statuses = Set.copyOf(statuses);
        tags = Set.copyOf(tags);
        if (limit < 1 || offset < 0) {
            throw new IllegalArgumentException(
                    "limit is " + limit + " and offset is " + offset + ": use 1 or more, and 0 or more");
        }
    }
}
