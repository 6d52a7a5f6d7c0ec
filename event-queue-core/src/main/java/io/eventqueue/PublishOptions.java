package io.eventqueue;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How an event is published. Immutable: every method returns a changed copy, starting
 * from {@link #none()}.
 *
 * <pre>{@code queue.publish(event, PublishOptions.none().key(orderId).delay(Duration.ofMinutes(5)));}</pre>
 */
public final class PublishOptions {

    private static final PublishOptions NONE = new PublishOptions();

    private @Nullable UUID id;

    private @Nullable String type;

    private @Nullable String key;

    private Set<String> tags = Set.of();

    private Duration delay = Duration.ZERO;

    private Map<String, String> headers = Map.of();

    private @Nullable String title;

    private @Nullable String description;

    private @Nullable Integer maxRetries;

    private @Nullable String modelId;

    private @Nullable String modelType;

    private PublishOptions() {
    }

    private PublishOptions(PublishOptions from) {
        id = from.id;
        type = from.type;
        key = from.key;
        tags = from.tags;
        delay = from.delay;
        headers = from.headers;
        title = from.title;
        description = from.description;
        maxRetries = from.maxRetries;
        modelId = from.modelId;
        modelType = from.modelType;
    }

    public static PublishOptions none() {
        return NONE;
    }

    /**
     * Publishing the same id again changes nothing, also after the event was finalized.
     */
    public PublishOptions id(UUID id) {
        PublishOptions copy = new PublishOptions(this);
        copy.id = id;
        return copy;
    }

    /**
     * Overrides the event type derived from the class; needed for events that are maps or
     * JSON trees.
     */
    public PublishOptions type(String type) {
        PublishOptions copy = new PublishOptions(this);
        copy.type = type;
        return copy;
    }

    /** Events of one key reach an ordered handler one at a time. */
    public PublishOptions key(String key) {
        PublishOptions copy = new PublishOptions(this);
        copy.key = key;
        return copy;
    }

    /** Tags by which workers pull the event; each is not blank and has no comma. */
    public PublishOptions tags(String... tags) {
        return tags(new LinkedHashSet<>(java.util.List.of(tags)));
    }

    /** As {@link #tags(String...)}. */
    public PublishOptions tags(Set<String> tags) {
        PublishOptions copy = new PublishOptions(this);
        copy.tags = java.util.Collections.unmodifiableSet(new LinkedHashSet<>(tags));
        return copy;
    }

    /** The event becomes available this long after publishing. */
    public PublishOptions delay(Duration delay) {
        PublishOptions copy = new PublishOptions(this);
        copy.delay = delay;
        return copy;
    }

    /** Adds one header; it travels with the event to every handler. */
    public PublishOptions header(String name, String value) {
        PublishOptions copy = new PublishOptions(this);
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.put(name, value);
        copy.headers = all;
        return copy;
    }

    /** Adds headers; a name already there is replaced. */
    public PublishOptions headers(Map<String, String> more) {
        PublishOptions copy = new PublishOptions(this);
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.putAll(more);
        copy.headers = all;
        return copy;
    }

    public PublishOptions title(String title) {
        PublishOptions copy = new PublishOptions(this);
        copy.title = title;
        return copy;
    }

    public PublishOptions description(String description) {
        PublishOptions copy = new PublishOptions(this);
        copy.description = description;
        return copy;
    }

    /**
     * How many attempts workers have before the event is FAILED; 3 unless said otherwise.
     */
    public PublishOptions maxRetries(int maxRetries) {
        PublishOptions copy = new PublishOptions(this);
        copy.maxRetries = maxRetries;
        return copy;
    }

    /** The aggregate the event is about, kept in the action context. */
    public PublishOptions model(String modelType, String modelId) {
        PublishOptions copy = new PublishOptions(this);
        copy.modelType = modelType;
        copy.modelId = modelId;
        return copy;
    }

    public @Nullable UUID id() {
        return id;
    }

    public @Nullable String type() {
        return type;
    }

    public @Nullable String key() {
        return key;
    }

    public Set<String> tags() {
        return tags;
    }

    public Duration delay() {
        return delay;
    }

    public Map<String, String> headers() {
        return headers;
    }

    public @Nullable String title() {
        return title;
    }

    public @Nullable String description() {
        return description;
    }

    public @Nullable Integer maxRetries() {
        return maxRetries;
    }

    public @Nullable String modelId() {
        return modelId;
    }

    public @Nullable String modelType() {
        return modelType;
    }

}
