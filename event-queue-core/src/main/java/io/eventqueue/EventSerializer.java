package io.eventqueue;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * Events to JSON and back, with the application's mapper. Never uses type information
 * from the payload.
 */
public final class EventSerializer {

    private static final TypeReference<LinkedHashMap<String, String>> STRING_MAP = new TypeReference<>() {
    };

    private final JsonMapper mapper;

    private final long maxPayloadBytes;

    public EventSerializer(JsonMapper mapper, long maxPayloadBytes) {
        this.mapper = mapper;
        this.maxPayloadBytes = maxPayloadBytes;
    }

    /** A serializer with Jackson's defaults and the default limit of 1 MB. */
    public static EventSerializer standard() {
        return new EventSerializer(JsonMapper.builder().build(), 1 << 20);
    }

    public String payloadOf(Object event, String eventType) {
        String json = write(event, "Event of type '" + eventType + "' (" + event.getClass().getName() + ")");
        long bytes = json.length() * 3L <= maxPayloadBytes ? 0 : json.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > maxPayloadBytes) {
            throw new PayloadTooLargeException("The payload of event type '" + eventType + "' has " + bytes
                    + " bytes; event-queue.max-payload-size allows " + maxPayloadBytes
                    + ". Store the data elsewhere and publish a reference to it, or raise the limit.");
        }
        return json;
    }

    public String write(Object value, String what) {
        try {
            return mapper.writeValueAsString(value);
        }
        catch (JacksonException | StackOverflowError e) {
            throw new EventSerializationException(what + " cannot be written as JSON: " + e.getMessage(), e);
        }
    }

    public @Nullable String writeHeaders(Map<String, String> headers) {
        return headers.isEmpty() ? null : write(headers, "The headers");
    }

    public Map<String, String> readHeaders(@Nullable String json) {
        return json == null ? Map.of() : mapper.readValue(json, STRING_MAP);
    }

    /** Reads a payload into the class the handler subscribed with. */
    public Object read(String json, Class<?> eventClass) {
        return mapper.readValue(json, eventClass);
    }

}
