package io.eventqueue.kafka;

import io.eventqueue.EventEnvelope;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerResult;
import io.eventqueue.InvalidHandlerException;
import io.eventqueue.RetryPolicy;
import io.eventqueue.UnrecoverableEventException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.RawValue;

/**
 * One handler per topic, so that the order of events of one key is kept on the topic also
 * when they are of different types. It succeeds when the broker has confirmed the record;
 * while there is no broker it fails and is tried again, for as long as the retention
 * window lasts.
 */
public final class KafkaOut {

    /** Nothing to be fair to but one broker: try again soon, but not all at once. */
    private static final RetryPolicy RETRY = new RetryPolicy(Integer.MAX_VALUE, Duration.ofSeconds(1),
            Duration.ofSeconds(30), 0.2, Set.of(RecordTooLargeException.class));

    /** Of the handlers that run at a time, no topic may occupy all while it waits. */
    private static final int CONCURRENCY = 32;

    private final KafkaSender sender;

    private final JsonMapper mapper = JsonMapper.shared();

    public KafkaOut(KafkaSender sender) {
        this.sender = sender;
    }

    /** The durable name of the handler that publishes to {@code topic}. */
    public static String handlerName(String topic) {
        return "kafka-" + topic;
    }

    public List<HandlerDefinition> handlers(Collection<KafkaRoute> routes) {
        Map<String, List<KafkaRoute>> byTopic = new LinkedHashMap<>();
        routes.forEach(route -> byTopic.computeIfAbsent(route.topic(), topic -> new ArrayList<>()).add(route));
        List<HandlerDefinition> handlers = new ArrayList<>();
        byTopic.forEach((topic, ofTopic) -> handlers.add(handler(topic, ofTopic)));
        return handlers;
    }

    private HandlerDefinition handler(String topic, List<KafkaRoute> routes) {
        Map<String, KafkaRoute> byType = new LinkedHashMap<>();
        Set<String> aliases = new LinkedHashSet<>();
        for (KafkaRoute route : routes) {
            aliases.addAll(route.aliases());
            for (String type : route.types()) {
                if (byType.put(type, route) != null) {
                    throw new InvalidHandlerException("Event type '" + type + "' is routed to topic '" + topic
                            + "' twice. Keep one of the routes in event-queue.kafka.out.routes.");
                }
            }
        }
        return HandlerDefinition
            .builder(handlerName(topic), byType.keySet(),
                    envelope -> publish(Objects.requireNonNull(byType.get(envelope.eventType())), envelope))
            .aliases(aliases)
            .ordered(true)
            .concurrency(CONCURRENCY)
            .retryPolicy(RETRY)
            .build();
    }

    private HandlerResult publish(KafkaRoute route, EventEnvelope<?> envelope) throws Exception {
        String payload = String.valueOf(((RawValue) envelope.event()).rawValue());
        String key = route.key() == null ? envelope.key() : keyIn(payload, route, envelope);
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(route.topic(),
                key == null ? null : RecordHeaders.bytes(key), RecordHeaders.bytes(payload));
        Map<String, String> headers = new LinkedHashMap<>(envelope.headers());
        headers.putAll(route.headers());
        headers.put(RecordHeaders.ID, envelope.eventId().toString());
        headers.put(RecordHeaders.TYPE, envelope.eventType());
        headers.forEach((name, value) -> record.headers().add(name, RecordHeaders.bytes(value)));
        sender.send(record);
        return HandlerResult.success();
    }

    private @Nullable String keyIn(String payload, KafkaRoute route, EventEnvelope<?> envelope) {
        JsonNode key = mapper.readTree(payload).at(Objects.requireNonNull(route.key()));
        if (!key.isValueNode() || key.isNull()) {
            throw new UnrecoverableEventException("Event " + envelope.eventId() + " of type '" + envelope.eventType()
                    + "' has no value at " + route.key() + ", where the key for topic '" + route.topic()
                    + "' should be. Publish one, or change the key of the route.");
        }
        return key.asString();
    }

}
