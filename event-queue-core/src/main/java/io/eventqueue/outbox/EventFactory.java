package io.eventqueue.outbox;

import io.eventqueue.ActionContext;
import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHeaders;
import io.eventqueue.EventInterceptor;
import io.eventqueue.EventSerializer;
import io.eventqueue.EventTypes;
import io.eventqueue.InvalidEventException;
import io.eventqueue.PublishOptions;
import io.eventqueue.handling.CurrentDelivery;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Turns what the application publishes into rows, refusing what cannot be stored before
 * anything is written.
 */
final class EventFactory {

    private static final int DEFAULT_MAX_RETRIES = 3;

    private final EventSerializer serializer;

    private final List<EventInterceptor> interceptors;

    private final String namespace;

    private final TimeOrderedIds ids = new TimeOrderedIds();

    EventFactory(EventSerializer serializer, List<EventInterceptor> interceptors, String namespace) {
        this.serializer = serializer;
        this.interceptors = List.copyOf(interceptors);
        this.namespace = checked("namespace", namespace, 255);
    }

    UUID nextId() {
        return ids.next();
    }

    /** An event published on its own is its own action. */
    NewEvent event(Object event, PublishOptions options) {
        UUID id = options.id() != null ? options.id() : ids.next();
        return event(event, options, id, publishAction(id));
    }

    NewEvent event(Object event, PublishOptions options, UUID id, ActionContext action) {
        String type = options.type() != null ? checked("event type", options.type(), 255)
                : EventTypes.nameOf(event.getClass());
        if (options.delay().isNegative()) {
            throw new InvalidEventException(
                    "The delay of event type '" + type + "' is negative: " + options.delay() + ". Use zero or more.");
        }
        if (options.maxRetries() != null && options.maxRetries() < 1) {
            throw new InvalidEventException(
                    "maxRetries of event type '" + type + "' is " + options.maxRetries() + ". Use 1 or more.");
        }
        Map<String, String> headers = new LinkedHashMap<>(options.headers());
        addChain(headers);
        interceptors.forEach(interceptor -> interceptor.publishing(event, type, headers));
        return new NewEvent(id, options.id() != null, type, serializer.payloadOf(event, type),
                serializer.writeHeaders(headers), options.key() == null ? null : checked("key", options.key(), 255),
                checkedTags(options.tags()), options.title() == null ? null : checked("title", options.title(), 500),
                options.description(), options.maxRetries() == null ? DEFAULT_MAX_RETRIES : options.maxRetries(),
                options.delay(), withModel(action, options));
    }

    /** What an action that raised nothing leaves behind. */
    NewEvent sentinel(ActionContext action) {
        return new NewEvent(ids.next(), false, null, null, null, null, Set.of(), null, null, DEFAULT_MAX_RETRIES,
                Duration.ZERO, action);
    }

    ActionContext publishAction(UUID actionId) {
        Instant now = Instant.now();
        return new ActionContext(namespace, actionId, "publish", "{}", now, now, null, null);
    }

    ActionContext action(String name, Object parameters, Instant started) {
        String json = serializer.write(parameters, "The parameters of action '" + name + "'");
        return new ActionContext(namespace, ids.next(), checked("action name", name, 255), json, started, Instant.now(),
                null, null);
    }

    private static ActionContext withModel(ActionContext action, PublishOptions options) {
        if (options.modelId() == null && options.modelType() == null) {
            return action;
        }
        return new ActionContext(action.namespace(), action.actionId(), action.actionName(), action.actionParams(),
                action.startedDate(), action.completionDate(),
                options.modelId() == null ? null : checked("model id", options.modelId(), 255),
                options.modelType() == null ? null : checked("model type", options.modelType(), 255));
    }

    /**
     * An event published by a handler belongs to the chain of the event being handled.
     */
    private static void addChain(Map<String, String> headers) {
        @Nullable EventEnvelope<?> cause = CurrentDelivery.get();
        if (cause != null) {
            headers.putIfAbsent(EventHeaders.CAUSATION_ID, cause.eventId().toString());
            headers.putIfAbsent(EventHeaders.CORRELATION_ID, cause.correlationId());
        }
    }

    private static Set<String> checkedTags(Set<String> tags) {
        for (String tag : tags) {
            checked("tag", tag, 100);
            if (tag.indexOf(',') >= 0) {
                throw new InvalidEventException(
                        "Tag '" + tag + "' has a comma, which separates tags. Publish two tags.");
            }
        }
        if (String.join(",", tags).length() > 2000) {
            throw new InvalidEventException(
                    "The tags of one event have more than 2000 characters together. Use fewer.");
        }
        return tags;
    }

    private static String checked(String what, String value, int maxLength) {
        if (value.isBlank()) {
            throw new InvalidEventException("The " + what + " is blank. Give it a value, or leave it out.");
        }
        if (value.length() > maxLength) {
            throw new InvalidEventException("The " + what + " has " + value.length() + " characters, at most "
                    + maxLength + " are stored: '" + value.substring(0, 40) + "...'. Shorten it.");
        }
        return value;
    }

}
