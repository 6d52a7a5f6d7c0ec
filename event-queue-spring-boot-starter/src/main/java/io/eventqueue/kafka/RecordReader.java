package io.eventqueue.kafka;

import io.eventqueue.IncomingEvent;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Turns records into events. The payload is looked into only where type or id are
 * expected there; whether it is JSON is found out when it is stored.
 */
final class RecordReader {

    private static final int MAX_KEY_LENGTH = 255;

    private final Map<String, TopicMapping> mappings = new LinkedHashMap<>();

    private final JsonMapper mapper = JsonMapper.shared();

    RecordReader(Collection<TopicMapping> mappings) {
        mappings.forEach(mapping -> this.mappings.put(mapping.topic(), mapping));
    }

    /**
     * Null if records of its type are left out.
     * @throws UnreadableRecordException with the reason
     */
    @Nullable IncomingEvent read(ConsumerRecord<byte[], byte @Nullable []> record) {
        TopicMapping mapping = Objects.requireNonNull(mappings.get(record.topic()));
        String payload = RecordHeaders.text(record.value());
        if (payload == null) {
            throw new UnreadableRecordException(record,
                    record.value() == null ? "The record has no value" : "The record's value is not UTF-8 text");
        }
        String named = typeOf(record, mapping, payload);
        String type = named == null ? mapping.type() : mapping.types().isEmpty() ? named : mapping.types().get(named);
        if (named == null && type == null) {
            throw new UnreadableRecordException(record, "The record names no event type: it has no header '"
                    + typeHeader(mapping) + "', and event-queue.kafka.in says nothing about such records of its topic");
        }
        if (type == null) {
            return null;
        }
        String key = keyOf(record);
        return IncomingEvent.json(idOf(record, mapping, payload), type, payload).with(options -> {
            var withHeaders = options.headers(RecordHeaders.ofEvent(record.headers()));
            return key == null ? withHeaders : withHeaders.key(key);
        });
    }

    private @Nullable String typeOf(ConsumerRecord<?, ?> record, TopicMapping mapping, String payload) {
        String header = RecordHeaders.text(record.headers(), typeHeader(mapping));
        return header == null && mapping.typePointer() != null ? valueAt(mapping.typePointer(), payload, record)
                : header;
    }

    private static String typeHeader(TopicMapping mapping) {
        return mapping.typeHeader() == null ? RecordHeaders.TYPE : mapping.typeHeader();
    }

    private UUID idOf(ConsumerRecord<?, ?> record, TopicMapping mapping, String payload) {
        String header = mapping.idHeader() == null ? RecordHeaders.ID : mapping.idHeader();
        String id = RecordHeaders.text(record.headers(), header);
        if (id == null && mapping.idPointer() != null) {
            id = valueAt(mapping.idPointer(), payload, record);
        }
        if (id == null && mapping.needsId()) {
            throw new UnreadableRecordException(record, "The record has no id: no header '" + header + "'"
                    + (mapping.idPointer() == null ? "" : " and no value at " + mapping.idPointer()));
        }
        return IncomingEvent.idOf(record.topic(), id != null ? id : record.partition() + "@" + record.offset());
    }

    private @Nullable String valueAt(JsonPointer pointer, String payload, ConsumerRecord<?, ?> record) {
        try {
            JsonNode value = mapper.readTree(payload).at(pointer);
            return value.isValueNode() && !value.isNull() ? value.asString() : null;
        }
        catch (JacksonException e) {
            throw new UnreadableRecordException(record, "The record's value is not JSON: " + e.getOriginalMessage());
        }
    }

    /** A key that is no text, or a long one, still keeps its events in order. */
    private static @Nullable String keyOf(ConsumerRecord<byte[], ?> record) {
        if (record.key() == null) {
            return null;
        }
        String text = RecordHeaders.text(record.key());
        return text == null || text.isBlank() || text.length() > MAX_KEY_LENGTH
                ? UUID.nameUUIDFromBytes(record.key()).toString() : text;
    }

}
