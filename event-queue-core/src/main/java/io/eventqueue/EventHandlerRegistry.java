package io.eventqueue;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;
import tools.jackson.databind.util.RawValue;

/**
 * All handlers of this node by name, alias and event type. Names and aliases are unique
 * in any combination, and one event type name stands for one class; anything else is
 * refused when the registry is built.
 */
public final class EventHandlerRegistry {

    private record Contents(Map<String, HandlerDefinition> byName, Map<String, HandlerDefinition> byNameOrAlias) {

        Contents {
            byName = Map.copyOf(byName);
            byNameOrAlias = Map.copyOf(byNameOrAlias);
        }

    }

    private final Supplier<Contents> contents;

    private EventHandlerRegistry(Supplier<Contents> contents) {
        this.contents = contents;
    }

    public static Builder eventHandlerRegistry() {
        return new Builder();
    }

    /**
     * A registry that is built when somebody first asks it for a handler, for containers
     * in which handlers exist later than the jobs that run them. A build that fails is
     * tried again by the next call.
     */
    public static EventHandlerRegistry lazily(Supplier<EventHandlerRegistry> registry) {
        return new EventHandlerRegistry(SingletonSupplier.of(() -> registry.get().contents.get()));
    }

    public Collection<HandlerDefinition> handlers() {
        return contents.get().byName().values();
    }

    /**
     * Every name a row may carry that this node can handle: canonical names and aliases.
     */
    public Set<String> knownNames() {
        return contents.get().byNameOrAlias().keySet();
    }

    public Optional<HandlerDefinition> find(String nameOrAlias) {
        return Optional.ofNullable(contents.get().byNameOrAlias().get(nameOrAlias));
    }

    public boolean isEmpty() {
        return contents.get().byName().isEmpty();
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
                if (eventClass == RawValue.class) {
                    return;
                }
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
            Contents built = new Contents(byName, byNameOrAlias);
            return new EventHandlerRegistry(() -> built);
        }

    }

}
