package io.eventqueue.handling;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.HandlerDefinition;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Handlers of this node that need no claim of their own before they run. */
final class DirectHandlers {

    private DirectHandlers() {
    }

    /** Those of the type without limits that only a claim can respect. */
    static Set<String> of(EventHandlerRegistry registry, String eventType) {
        List<HandlerDefinition> subscribed = registry.handlers()
            .stream()
            .filter(handler -> handler.eventTypes().containsKey(eventType))
            .toList();
        int first = subscribed.stream().mapToInt(HandlerDefinition::priority).min().orElse(0);
        return subscribed.stream()
            .filter(handler -> handler.concurrency() == 0 && !handler.ordered() && handler.priority() == first)
            .map(HandlerDefinition::name)
            .collect(Collectors.toUnmodifiableSet());
    }

    /** The one whose notification can be written when it has run. */
    static Optional<HandlerDefinition> wholeEventHandlerOf(EventHandlerRegistry registry, String eventType) {
        Set<String> direct = of(registry, eventType);
        return direct.size() != 1 ? Optional.empty() : registry.find(direct.iterator().next())
            .filter(handler -> handler.idempotent() && !handler.transactional() && handler.priority() == 0);
    }

    /** All of those, by event type. */
    static Map<String, String> wholeEventHandlers(EventHandlerRegistry registry) {
        Map<String, String> handlers = new HashMap<>();
        registry.handlers()
            .stream()
            .flatMap(handler -> handler.eventTypes().keySet().stream())
            .distinct()
            .forEach(type -> wholeEventHandlerOf(registry, type)
                .ifPresent(handler -> handlers.put(type, handler.name())));
        return Map.copyOf(handlers);
    }

}
