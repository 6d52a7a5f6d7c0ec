package io.eventqueue;

import org.jspecify.annotations.Nullable;

/**
 * Runs an {@link Action} in one transaction. The events it raises are published in that
 * transaction and share one action context; an action that raises none leaves a sentinel
 * row, so that the outbox tells of every action.
 */
public interface ActionExecutor {

    /**
     * @param name what is done, kept as {@code action_name}
     * @param parameters kept as JSON in {@code action_params}
     */
    <T extends @Nullable Object> T execute(String name, Object parameters, Action<T> action);

}
