package io.eventqueue;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The business action an event came from. All events of one action share it.
 *
 * @param namespace groups actions of one application or bounded context
 * @param actionId identifies this execution
 * @param actionName what was done
 * @param actionParams the action's parameters as JSON
 */
public record ActionContext(String namespace, UUID actionId, String actionName, String actionParams,
        Instant startedDate, Instant completionDate, @Nullable String modelId, @Nullable String modelType) {
}
