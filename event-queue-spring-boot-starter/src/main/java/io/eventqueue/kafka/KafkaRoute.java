package io.eventqueue.kafka;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonPointer;

/**
 * Which events go to which topic.
 *
 * @param types event types
 * @param key where in the payload the record's key is; null: the event's own key
 * @param headers headers of every record, beside those of the event
 * @param aliases names of handlers whose open deliveries go to this topic instead
 */
public record KafkaRoute(String topic, Set<String> types, @Nullable JsonPointer key, Map<String, String> headers,
        Set<String> aliases) {

    public KafkaRoute {
        types = Set.copyOf(types);
        headers = Map.copyOf(headers);
        aliases = new LinkedHashSet<>(aliases);
    }
}
