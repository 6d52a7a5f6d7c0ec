package io.eventqueue;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.GenericTypeResolver;

/**
 * Reads a {@link HandlerDefinition} from a {@link Handler} and its {@link EventHandler}
 * annotation.
 */
final class HandlerIntrospection {

    private static final Logger log = LoggerFactory.getLogger(EventHandler.class);

    private static final Pattern SIMPLE_DURATION = Pattern.compile("([0-9]+)\\s*(ms|s|m|h|d)");

    private HandlerIntrospection() {
    }

    static <E> HandlerDefinition.Builder builderFor(Handler<E> handler) {
        Class<?> handlerClass = handler.getClass();
        EventHandler annotation = handlerClass.getAnnotation(EventHandler.class);
        String name = nameOf(handler, annotation);
        HandlerDefinition.Builder builder = HandlerDefinition.builder(name, eventClassOf(handler, name), envelope -> {
            @SuppressWarnings("unchecked")
            EventEnvelope<E> typed = (EventEnvelope<E>) envelope;
            handler.handle(typed);
            return HandlerResult.success();
        });
        builder.aliases(handler.aliases());
        if (annotation != null) {
            apply(annotation, builder, name);
        }
        return builder;
    }

    /** Copies everything but the name from the annotation. */
    static void apply(EventHandler annotation, HandlerDefinition.Builder builder, String name) {
        builder.aliases(Arrays.asList(annotation.aliases()))
            .priority(annotation.priority())
            .idempotent(annotation.idempotent())
            .transactional(annotation.transactional())
            .ordered(annotation.ordered())
            .concurrency(annotation.concurrency())
            .timeout(duration(annotation.timeout(), name, "timeout"));
        Arrays.stream(annotation.types()).forEach(builder::subscribe);
        if (annotation.maxAttempts() < 0) {
            throw new InvalidHandlerException("Handler '" + name + "': maxAttempts is " + annotation.maxAttempts()
                    + ". Use 1 or more, or 0 for the configured default.");
        }
        Set<Class<? extends Throwable>> unrecoverable = new LinkedHashSet<>(Arrays.asList(annotation.unrecoverable()));
        builder.retryPolicy(new RetryPolicy(annotation.maxAttempts() == 0 ? null : annotation.maxAttempts(),
                duration(annotation.initialBackoff(), name, "initialBackoff"),
                duration(annotation.maxBackoff(), name, "maxBackoff"), null, unrecoverable));
    }

    private static String nameOf(Handler<?> handler, @Nullable EventHandler annotation) {
        if (annotation != null && !annotation.name().isBlank()) {
            return annotation.name();
        }
        if (!handler.name().isBlank()) {
            return handler.name();
        }
        String derived = handler.getClass().getSimpleName();
        if (!derived.isBlank()) {
            log.warn(
                    "Handler {} has no durable name, so '{}' is stored with its deliveries. Renaming the class would orphan"
                            + " them: set @EventHandler(name = \"...\").",
                    handler.getClass().getName(), derived);
        }
        return derived;
    }

    private static Class<?> eventClassOf(Handler<?> handler, String name) {
        if (handler.eventType() != Void.class) {
            return handler.eventType();
        }
        Class<?> resolved = GenericTypeResolver.resolveTypeArgument(handler.getClass(), Handler.class);
        if (resolved == null) {
            throw new InvalidHandlerException("The event class of handler '" + name + "' ("
                    + handler.getClass().getName() + ") cannot be read from its type argument."
                    + " Override eventType(), or register it with withHandler(Class, name, function).");
        }
        return resolved;
    }

    /** {@code 30s}, {@code 5m}, {@code 500ms} or ISO-8601; null for an empty text. */
    static @Nullable Duration duration(String text, String name, String attribute) {
        if (text.isBlank()) {
            return null;
        }
        Matcher simple = SIMPLE_DURATION.matcher(text.trim());
        if (simple.matches()) {
            long amount = Long.parseLong(simple.group(1));
            return switch (simple.group(2)) {
                case "ms" -> Duration.ofMillis(amount);
                case "s" -> Duration.ofSeconds(amount);
                case "m" -> Duration.ofMinutes(amount);
                case "h" -> Duration.ofHours(amount);
                default -> Duration.ofDays(amount);
            };
        }
        try {
            return Duration.parse(text.trim());
        }
        catch (DateTimeParseException e) {
            throw new InvalidHandlerException("Handler '" + name + "': " + attribute + " = \"" + text
                    + "\" is not a duration. Write 500ms, 30s, 5m, 2h, 7d or PT30S.", e);
        }
    }

}
