package io.eventqueue.outbox;

import io.eventqueue.ActionContext;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A checked and serialized event, ready to be written.
 *
 * @param idChosenByCaller whether the same id may have been published before
 * @param type null for the sentinel of an action that raised nothing
 */
record NewEvent(UUID id, boolean idChosenByCaller, @Nullable String type, @Nullable String payload,
        @Nullable String headers, @Nullable String key, Set<String> tags, @Nullable String title,
        @Nullable String description, int maxRetries, Duration delay, ActionContext action) {
}
