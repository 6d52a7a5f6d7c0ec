package io.eventqueue.kafka;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonPointer;

/**
 * How records of a topic become events. Type and id are looked for in a header, then in
 * the payload.
 *
 * @param type type of records that do not name one
 * @param typeHeader null: {@code event-type}
 * @param typePointer where in the payload the type is named
 * @param types event types by the names the records use; if there are any, records of
 * other types are left out
 * @param idHeader null: {@code event-id}, and records without it are told apart by
 * partition and offset
 * @param idPointer where in the payload the id is
 */
public record TopicMapping(String topic, @Nullable String type, @Nullable String typeHeader,
        @Nullable JsonPointer typePointer, Map<String, String> types, @Nullable String idHeader,
        @Nullable JsonPointer idPointer) {

    public TopicMapping {
        types = Map.copyOf(types);
    }

    /** Everything as {@code event-queue.kafka.out} writes it. */
    public static TopicMapping of(String topic) {
        return new TopicMapping(topic, null, null, null, Map.of(), null, null);
    }

    /** Whether a record without id cannot be read. */
    boolean needsId() {
        return idHeader != null || idPointer != null;
    }
}
