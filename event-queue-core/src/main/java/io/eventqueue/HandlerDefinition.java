package io.eventqueue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.util.RawValue;

/**
 * A handler as the engine sees it: its durable name, what it subscribes to, how it is
 * called and retried. Made from a {@link Handler}, from a lambda, or by the starter from
 * an annotated method.
 */
public final class HandlerDefinition {

    /** Calls the application's code. */
    @FunctionalInterface
    public interface Invocation {

        HandlerResult invoke(EventEnvelope<?> envelope) throws Exception;

    }

    private final String name;

    private final Set<String> aliases;

    private final Map<String, Class<?>> eventTypes;

    private final Invocation invocation;

    private final int priority;

    private final boolean idempotent;

    private final boolean transactional;

    private final boolean ordered;

    private final int concurrency;

    private final @Nullable Duration timeout;

    private final RetryPolicy retryPolicy;

    private HandlerDefinition(Builder builder) {
        this.name = builder.name;
        this.aliases = Set.copyOf(builder.aliases);
        this.eventTypes = Map.copyOf(builder.eventTypes);
        this.invocation = builder.invocation;
        this.priority = builder.priority;
        this.idempotent = builder.idempotent;
        this.transactional = builder.transactional;
        this.ordered = builder.ordered;
        this.concurrency = builder.concurrency;
        this.timeout = builder.timeout;
        this.retryPolicy = builder.retryPolicy;
    }

    /**
     * Starts a definition of a handler for {@code eventClass} and, if that is sealed, for
     * its subtypes.
     */
    public static Builder builder(String name, Class<?> eventClass, Invocation invocation) {
        return new Builder(name, invocation).subscribe(eventClass);
    }

    /**
     * Starts a definition of a handler that passes payloads on without reading them: it
     * gets each as a {@link RawValue}, whatever class other handlers read the type into.
     */
    public static Builder builder(String name, Collection<String> eventTypes, Invocation invocation) {
        Builder builder = new Builder(name, invocation);
        eventTypes.forEach(type -> builder.eventTypes.put(type, RawValue.class));
        return builder;
    }

    /**
     * Starts a definition from a {@link Handler}, reading {@link EventHandler} from its
     * class if it is there.
     */
    public static <E> Builder from(Handler<E> handler) {
        return HandlerIntrospection.builderFor(handler);
    }

    public String name() {
        return name;
    }

    public Set<String> aliases() {
        return aliases;
    }

    /** Event type names and the class each is read into. */
    public Map<String, Class<?>> eventTypes() {
        return eventTypes;
    }

    public Invocation invocation() {
        return invocation;
    }

    public int priority() {
        return priority;
    }

    public boolean idempotent() {
        return idempotent;
    }

    public boolean transactional() {
        return transactional;
    }

    public boolean ordered() {
        return ordered;
    }

    /** Invocations at a time on one node; 0 when not limited. */
    public int concurrency() {
        return concurrency;
    }

    public @Nullable Duration timeout() {
        return timeout;
    }

    public RetryPolicy retryPolicy() {
        return retryPolicy;
    }

    /** A builder holding everything this definition has, to change some of it. */
    public Builder toBuilder() {
        Builder builder = new Builder(name, invocation);
        builder.aliases.addAll(aliases);
        builder.eventTypes.putAll(eventTypes);
        builder.priority = priority;
        builder.idempotent = idempotent;
        builder.transactional = transactional;
        builder.ordered = ordered;
        builder.concurrency = concurrency;
        builder.timeout = timeout;
        builder.retryPolicy = retryPolicy;
        return builder;
    }

    @Override
    public String toString() {
        return "handler '" + name + "' for " + eventTypes.keySet();
    }

    /** Collects what a handler is; {@link #build()} refuses what cannot work. */
    public static final class Builder {

        private final String name;

        private final Invocation invocation;

        private final Set<String> aliases = new LinkedHashSet<>();

        private final Map<String, Class<?>> eventTypes = new LinkedHashMap<>();

        private int priority;

        private boolean idempotent = true;

        private boolean transactional;

        private boolean ordered;

        private int concurrency;

        private @Nullable Duration timeout;

        private RetryPolicy retryPolicy = RetryPolicy.inherited();

        private Builder(String name, Invocation invocation) {
            this.name = name;
            this.invocation = invocation;
        }

        /**
         * Adds a class, or every concrete subtype of a sealed or Jackson-annotated one.
         */
        public Builder subscribe(Class<?> eventClass) {
            for (Class<?> concrete : EventTypes.concreteTypesOf(eventClass)) {
                String type = EventTypes.nameOf(concrete);
                Class<?> other = eventTypes.putIfAbsent(type, concrete);
                if (other != null && other != concrete) {
                    throw new InvalidHandlerException(EventTypes.sameNameMessage(type, other, concrete));
                }
            }
            return this;
        }

        public Builder aliases(Iterable<String> more) {
            List<String> all = new ArrayList<>();
            more.forEach(all::add);
            aliases.addAll(all);
            return this;
        }

        public Builder priority(int value) {
            this.priority = value;
            return this;
        }

        public Builder idempotent(boolean value) {
            this.idempotent = value;
            return this;
        }

        public Builder transactional(boolean value) {
            this.transactional = value;
            return this;
        }

        public Builder ordered(boolean value) {
            this.ordered = value;
            return this;
        }

        public Builder concurrency(int value) {
            this.concurrency = value;
            return this;
        }

        public Builder timeout(@Nullable Duration value) {
            this.timeout = value;
            return this;
        }

        public Builder retryPolicy(RetryPolicy value) {
            this.retryPolicy = value;
            return this;
        }

        public RetryPolicy retryPolicy() {
            return retryPolicy;
        }

        /** Takes over everything but the name from the annotation. */
        public Builder annotatedWith(EventHandler annotation) {
            HandlerIntrospection.apply(annotation, this, name);
            return this;
        }

        public HandlerDefinition build() {
            if (name.isBlank()) {
                throw new InvalidHandlerException("A handler for " + eventTypes.keySet()
                        + " has a blank name. Give it a durable one: @EventHandler(name = \"...\") or Handler.name().");
            }
            if (name.length() > 255) {
                throw new InvalidHandlerException(
                        "Handler name '" + name + "' is longer than 255 characters. Shorten it.");
            }
            refuseSlash("name", name);
            aliases.forEach(alias -> refuseSlash("alias", alias));
            if (eventTypes.isEmpty()) {
                throw new InvalidHandlerException("Handler '" + name + "' subscribes to no concrete event class."
                        + " Name the classes: @EventHandler(types = {...}).");
            }
            if (concurrency < 0) {
                throw new InvalidHandlerException("Handler '" + name + "': concurrency is " + concurrency
                        + ". Use 1 or more, or 0 for no limit.");
            }
            if (timeout != null && (timeout.isZero() || timeout.isNegative())) {
                throw new InvalidHandlerException("Handler '" + name + "': timeout is " + timeout
                        + ". Use a positive duration, or leave it out.");
            }
            refuseContradictions();
            return new HandlerDefinition(this);
        }

        private static void refuseSlash(String what, String name) {
            if (name.contains("/") || name.contains("\\")) {
                throw new InvalidHandlerException("Handler " + what + " '" + name + "' contains a slash. Names are"
                        + " parts of addresses, over Actuator for example: use a dot or a hyphen instead.");
            }
        }

        private void refuseContradictions() {
            Duration initial = retryPolicy.initialBackoff();
            Duration cap = retryPolicy.maxBackoff();
            if (initial != null && cap != null && initial.compareTo(cap) > 0) {
                throw new InvalidHandlerException("Handler '" + name + "': initialBackoff (" + initial
                        + ") is longer than maxBackoff (" + cap + "). Swap them, or leave one out.");
            }
            if (retryPolicy.exhausted(1) && (initial != null || cap != null)) {
                throw new InvalidHandlerException("Handler '" + name + "' is tried only once (maxAttempts = 1), so its"
                        + " backoff would never be used. Allow more attempts, or leave initialBackoff and maxBackoff"
                        + " out.");
            }
        }

    }

}
