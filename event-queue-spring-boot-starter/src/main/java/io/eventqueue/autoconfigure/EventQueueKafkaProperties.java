package io.eventqueue.autoconfigure;

import io.eventqueue.kafka.KafkaRoute;
import io.eventqueue.kafka.TopicMapping;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import tools.jackson.core.JsonPointer;

/**
 * Kafka.
 *
 * @param sendTimeout How long to wait for the broker to confirm a record.
 * @param in From Kafka.
 * @param out To Kafka.
 */
public record EventQueueKafkaProperties(@DefaultValue("30s") Duration sendTimeout, @DefaultValue In in,
        @DefaultValue Out out) {

    private static final String PREFIX = "kafka.";

    public EventQueueKafkaProperties {
        if (sendTimeout.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new InvalidPropertyException(PREFIX + "send-timeout", "is " + sendTimeout,
                    "write 1s or more, for example 30s");
        }
    }

    /**
     * From Kafka.
     *
     * @param enabled Whether to listen to the topics in this process.
     * @param groupId Consumer group. spring.kafka.consumer.group-id or
     * spring.application.name when not set.
     * @param concurrency Consumers in this process.
     * @param topics Topics and how their records become events.
     */
    public record In(@DefaultValue("false") boolean enabled, @Nullable String groupId,
            @DefaultValue("1") int concurrency, @DefaultValue List<Topic> topics) {

        public In {
            if (concurrency < 1) {
                throw new InvalidPropertyException(PREFIX + "in.concurrency", "is " + concurrency, "write 1 or more");
            }
            if (enabled && topics.isEmpty()) {
                throw new InvalidPropertyException(PREFIX + "in.topics", "is empty",
                        "name a topic, for example event-queue.kafka.in.topics[0].name=orders");
            }
            Set<String> names = new LinkedHashSet<>();
            for (Topic topic : topics) {
                if (!names.add(topic.name())) {
                    throw new InvalidPropertyException(PREFIX + "in.topics", "names '" + topic.name() + "' twice",
                            "put all about it into one entry");
                }
            }
        }

        public List<TopicMapping> mappings() {
            return topics.stream().map(Topic::mapping).toList();
        }

    }

    /**
     * Records of a topic.
     *
     * @param name Name of the topic.
     * @param type Event type of records that do not name theirs.
     * @param typeHeader Header that names the event type. event-type when not set.
     * @param typePointer JSON pointer to the event type in the payload, where there is no
     * header.
     * @param types Event types by the names used in the records. Records of other types
     * are left out.
     * @param idHeader Header with the event's id, then required. event-id if it is there
     * when not set.
     * @param idPointer JSON pointer to the event's id in the payload, where there is no
     * header. Then required.
     */
    public record Topic(String name, @Nullable String type, @Nullable String typeHeader, @Nullable String typePointer,
            @DefaultValue Map<String, String> types, @Nullable String idHeader, @Nullable String idPointer) {

        public Topic {
            required(PREFIX + "in.topics[].name", name);
        }

        TopicMapping mapping() {
            return new TopicMapping(name, type, typeHeader, pointer(PREFIX + "in.topics[].type-pointer", typePointer),
                    types, idHeader, pointer(PREFIX + "in.topics[].id-pointer", idPointer));
        }

    }

    /**
     * To Kafka.
     *
     * @param enabled Whether to publish events to Kafka.
     * @param routes Which events go to which topic.
     */
    public record Out(@DefaultValue("false") boolean enabled, @DefaultValue List<Route> routes) {

        public List<KafkaRoute> kafkaRoutes() {
            return routes.stream().map(Route::kafkaRoute).toList();
        }

    }

    /**
     * Events for one topic.
     *
     * @param topic Name of the topic.
     * @param types Event types.
     * @param key JSON pointer to the record's key in the payload. The key the event was
     * published with when not set.
     * @param headers Headers of every record, beside those of the event.
     * @param aliases Names of handlers whose open deliveries go to the topic instead.
     */
    public record Route(String topic, @DefaultValue Set<String> types, @Nullable String key,
            @DefaultValue Map<String, String> headers, @DefaultValue Set<String> aliases) {

        public Route {
            required(PREFIX + "out.routes[].topic", topic);
            if (types.isEmpty()) {
                throw new InvalidPropertyException(PREFIX + "out.routes[].types", "is empty for topic '" + topic + "'",
                        "name the event types that go there");
            }
        }

        KafkaRoute kafkaRoute() {
            return new KafkaRoute(topic, types, pointer(PREFIX + "out.routes[].key", key), headers, aliases);
        }

    }

    private static void required(String property, @Nullable String value) {
        if (value == null || value.isBlank()) {
            throw new InvalidPropertyException(property, "is missing", "write the name of a topic");
        }
    }

    private static @Nullable JsonPointer pointer(String property, @Nullable String value) {
        if (value == null) {
            return null;
        }
        if (!value.startsWith("/")) {
            throw new InvalidPropertyException(property, "is '" + value + "'",
                    "write a JSON pointer, for example /orderId or /meta/id");
        }
        return Objects.requireNonNull(JsonPointer.compile(value));
    }

}
