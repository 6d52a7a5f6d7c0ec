package io.eventqueue.autoconfigure;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.RetryPolicy;
import io.eventqueue.autoconfigure.EventQueueProperties.HandlerOverrides;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Applies {@code event-queue.handlers.<name>} to handlers, and holds the names in the
 * configuration against the handlers that exist.
 */
final class HandlerSettings {

    private final EventQueueProperties properties;

    HandlerSettings(EventQueueProperties properties) {
        this.properties = properties;
    }

    HandlerDefinition applyTo(HandlerDefinition handler) {
        HandlerOverrides overrides = overridesOf(handler.name());
        if (overrides == null) {
            return handler;
        }
        RetryPolicy own = new RetryPolicy(overrides.maxAttempts(), overrides.initialBackoff(), overrides.maxBackoff(),
                null, overrides.unrecoverable());
        return handler.toBuilder()
            .retryPolicy(own.orElse(handler.retryPolicy()))
            .concurrency(overrides.concurrency() != null ? overrides.concurrency() : handler.concurrency())
            .timeout(overrides.timeout() != null ? overrides.timeout() : handler.timeout())
            .build();
    }

    private @Nullable HandlerOverrides overridesOf(String handlerName) {
        HandlerOverrides exact = properties.handlers().get(handlerName);
        if (exact != null) {
            return exact;
        }
        return properties.handlers()
            .entrySet()
            .stream()
            .filter(entry -> NearestName.sameRelaxed(entry.getKey(), handlerName))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElse(null);
    }

    /**
     * A name nobody has is a mistake where handlers run. Elsewhere the same configuration
     * may well name handlers of other processes.
     */
    void check(EventHandlerRegistry registry) {
        Set<String> names = new LinkedHashSet<>();
        registry.handlers().forEach(handler -> names.add(handler.name()));
        for (String retired : properties.retiredHandlers()) {
            if (registry.find(retired).isPresent()) {
                throw new InvalidPropertyException("retired-handlers",
                        "names '" + retired + "', but this application has " + registry.find(retired).get(),
                        "remove the handler (or its alias), or do not retire it");
            }
        }
        if (!properties.handling().enabled()) {
            return;
        }
        for (String configured : properties.handlers().keySet()) {
            if (names.stream().noneMatch(name -> NearestName.sameRelaxed(configured, name))) {
                throw new InvalidPropertyException("handlers." + configured, "is about a handler that does not exist",
                        NearestName.of(configured, names)
                            .map(nearest -> "write event-queue.handlers." + nearest + " if you mean that one")
                            .orElse("use the name of a handler" + (names.isEmpty() ? "" : ", one of " + names)));
            }
        }
    }

}
