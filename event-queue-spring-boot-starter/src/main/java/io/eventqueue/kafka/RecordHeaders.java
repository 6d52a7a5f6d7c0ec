package io.eventqueue.kafka;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/** An event's id, type and headers as headers of a record. */
final class RecordHeaders {

    /** Tells records of one event from those of another, however often they come. */
    static final String ID = "event-id";

    static final String TYPE = "event-type";

    /**
     * Written by listener containers, about one way of a record and not about its event.
     */
    private static final String CONTAINER_PREFIX = "kafka_";

    private RecordHeaders() {
    }

    static @Nullable String text(Headers headers, String name) {
        Header header = headers.lastHeader(name);
        return header == null ? null : text(header.value());
    }

    /** Null if the bytes are not UTF-8, or there are none. */
    static @Nullable String text(byte @Nullable [] bytes) {
        if (bytes == null) {
            return null;
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        }
        catch (CharacterCodingException e) {
            return null;
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Headers that travel on with the event. */
    static Map<String, String> ofEvent(Headers headers) {
        Map<String, String> found = new LinkedHashMap<>();
        for (Header header : headers) {
            String value = text(header.value());
            boolean own = header.key().equals(ID) || header.key().equals(TYPE);
            if (value != null && !own && !header.key().startsWith(CONTAINER_PREFIX)) {
                found.put(header.key(), value);
            }
        }
        return found;
    }

}
