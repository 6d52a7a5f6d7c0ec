package io.eventqueue;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.RawValue;

/**
 * Events to JSON and back, with the application's mapper. A payload is read into the
 * class its handler subscribed with; which class that is, the payload does not decide.
 */
public final class EventSerializer {

    private static final TypeReference<LinkedHashMap<String, String>> STRING_MAP = new TypeReference<>() {
    };

    private final JsonMapper mapper;

    private final long maxPayloadBytes;

    /**
     * @param mapper the application's; its default typing, if any, is not used
     */
    public EventSerializer(JsonMapper mapper, long maxPayloadBytes) {
        this.mapper = mapper.rebuild().deactivateDefaultTyping().build();
        this.maxPayloadBytes = maxPayloadBytes;
    }

    /** A serializer with Jackson's defaults and the default limit of 1 MB. */
    public static EventSerializer standard() {
        return new EventSerializer(JsonMapper.builder().build(), 1 << 20);
    }

    public String payloadOf(Object event, String eventType) {
        String what = "Event of type '" + eventType + "' (" + event.getClass().getName() + ")";
        String json = write(event, what);
        if (event instanceof RawValue) {
            requireJson(json, what);
        }
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

    /**
     * Reads a payload into the class the handler subscribed with; {@link RawValue} is the
     * payload itself.
     */
    public Object read(String json, Class<?> eventClass) {
        return eventClass == RawValue.class ? new RawValue(json) : mapper.readValue(json, eventClass);
    }

    /** What came as JSON text is stored as it is, so nobody else looks at it. */
    private void requireJson(String json, String what) {
        try (JsonParser parser = mapper.createParser(json)) {
            boolean empty = parser.nextToken() == null;
            parser.skipChildren();
            if (empty || parser.nextToken() != null) {
                throw new EventSerializationException(
                        what + " is not JSON: it has " + (empty ? "no value" : "text behind the value"));
            }
        }
        catch (JacksonException e) {
            throw new EventSerializationException(what + " is not JSON: " + e.getOriginalMessage(), e);
        }
    }

}
