package io.eventqueue;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All handlers of this node by name, alias and event type. Names and aliases are unique
 * in any combination, and one event type name stands for one class; anything else is
 * refused when the registry is built.
 */
public final class EventHandlerRegistry {

    private final Map<String, HandlerDefinition> byName;

    private final Map<String, HandlerDefinition> byNameOrAlias;

    private EventHandlerRegistry(Map<String, HandlerDefinition> byName, Map<String, HandlerDefinition> byNameOrAlias) {
        this.byName = Map.copyOf(byName);
        this.byNameOrAlias = Map.copyOf(byNameOrAlias);
    }

    public static Builder eventHandlerRegistry() {
        return new Builder();
    }

    public Collection<HandlerDefinition> handlers() {
        return byName.values();
    }

    /**
     * Every name a row may carry that this node can handle: canonical names and aliases.
     */
    public Set<String> knownNames() {
        return byNameOrAlias.keySet();
    }

    public Optional<HandlerDefinition> find(String nameOrAlias) {
        return Optional.ofNullable(byNameOrAlias.get(nameOrAlias));
    }

    public boolean isEmpty() {
        return byName.isEmpty();
    }

    /** Collects handlers; {@link #build()} checks them against each other. */
    public static final class Builder {

        private final Map<String, HandlerDefinition> byName = new LinkedHashMap<>();

        private final Map<String, HandlerDefinition> byNameOrAlias = new LinkedHashMap<>();

        private final Map<String, Class<?>> classes = new LinkedHashMap<>();

        private Builder() {
        }

        public Builder withHandler(Handler<?> handler) {
            return withHandler(HandlerDefinition.from(handler).build());
        }

        /** A handler as a lambda; {@code name} is its durable name. */
        public <E> Builder withHandler(Class<E> eventClass, String name, HandlerFunction<E> function) {
            return withHandler(HandlerDefinition
                .builder(name, eventClass, envelope -> function.handle(eventClass.cast(envelope.event())))
                .build());
        }

        public Builder withHandler(HandlerDefinition handler) {
            claimName(handler.name(), handler, "name");
            for (String alias : handler.aliases()) {
                if (alias.isBlank()) {
                    throw new InvalidHandlerException("Handler '" + handler.name()
                            + "' has a blank alias. Remove it, or write the earlier name.");
                }
                claimName(alias, handler, "alias");
            }
            handler.eventTypes().forEach((type, eventClass) -> {
                Class<?> other = classes.putIfAbsent(type, eventClass);
                if (other != null && other != eventClass) {
                    throw new InvalidHandlerException(EventTypes.sameNameMessage(type, other, eventClass));
                }
            });
            byName.put(handler.name(), handler);
            return this;
        }

        private void claimName(String name, HandlerDefinition handler, String what) {
            @Nullable HandlerDefinition other = byNameOrAlias.putIfAbsent(name, handler);
            if (other == handler) {
                throw new InvalidHandlerException("Handler '" + handler.name() + "' lists its own name as an " + what
                        + ". Remove the alias '" + name + "'.");
            }
            if (other != null) {
                throw new InvalidHandlerException("The " + what + " '" + name + "' of " + handler
                        + " is already a name or alias of " + other
                        + ". Names and aliases are durable subscription ids and must be unique: rename one of them.");
            }
        }

        public EventHandlerRegistry build() {
            return new EventHandlerRegistry(byName, byNameOrAlias);
        }

    }

}
