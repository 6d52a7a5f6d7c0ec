package io.eventqueue.kafka;

import io.eventqueue.EventConsumer;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.ExponentialBackOff;
import org.springframework.util.backoff.FixedBackOff;

/**
 * Listens to topics:
 *
 * <ol>
 * <li>what one poll brings is written in one transaction;
 * <li>then the offsets are committed, so a crash in between only brings the records
 * again, which is a no-op;
 * <li>a record that is unreadable three times goes to {@code <topic>-dlt} with the reason
 * in its headers, and the partition moves on;
 * <li>everything else, above all a database that is away, is tried again until it works.
 * </ol>
 */
public final class KafkaIn {

    /** Says in a header of a dead letter why it is one. */
    public static final String REASON_HEADER = "event-queue-reason";

    private static final String DEAD_LETTERS = "-dlt";

    private static final int ANY_PARTITION = -1;

    /** Waiting does not make a record readable, and those behind it wait too. */
    private static final BackOff UNREADABLE = new FixedBackOff(100, 2);

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final ConsumerFactory<?, ?> application;

    private final KafkaSender deadLetters;

    private final EventConsumer consumer;

    public KafkaIn(ConsumerFactory<?, ?> application, KafkaSender deadLetters, EventConsumer consumer) {
        this.application = application;
        this.deadLetters = deadLetters;
        this.consumer = consumer;
    }

    /** A container that is not started yet. */
    public ConcurrentMessageListenerContainer<byte[], byte[]> container(Collection<TopicMapping> mappings,
            String groupId, int concurrency) {
        ContainerProperties properties = new ContainerProperties(
                mappings.stream().map(TopicMapping::topic).toArray(String[]::new));
        properties.setGroupId(groupId);
        properties.setMessageListener(new KafkaEventListener(new RecordReader(mappings), consumer));
        properties.setAckMode(ContainerProperties.AckMode.BATCH);
        properties.setAuthExceptionRetryInterval(LONGEST_WAIT);
        ConcurrentMessageListenerContainer<byte[], byte[]> container = new ConcurrentMessageListenerContainer<>(
                consumers(), properties);
        container.setConcurrency(concurrency);
        container.setCommonErrorHandler(errorHandler());
        return container;
    }

    private ConsumerFactory<byte[], byte[]> consumers() {
        Map<String, Object> configuration = new HashMap<>(application.getConfigurationProperties());
        configuration.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        // Kafka's own defaults would skip what was sent before the first start, and read
        // what a producer rolled back.
        configuration.putIfAbsent(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        configuration.putIfAbsent(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        ByteArrayDeserializer bytes = new ByteArrayDeserializer();
        DefaultKafkaConsumerFactory<byte[], byte[]> consumers = new DefaultKafkaConsumerFactory<>(configuration, bytes,
                bytes);
        application.getListeners().forEach(listener -> listen(consumers, listener));
        return consumers;
    }

    /** Metrics and the like; they do not look at keys and values. */
    @SuppressWarnings("unchecked")
    private static void listen(DefaultKafkaConsumerFactory<byte[], byte[]> consumers,
            ConsumerFactory.Listener<?, ?> listener) {
        consumers.addListener((ConsumerFactory.Listener<byte[], byte[]>) listener);
    }

    private DefaultErrorHandler errorHandler() {
        ExponentialBackOff untilItWorks = new ExponentialBackOff(1000, 2);
        untilItWorks.setMaxInterval(LONGEST_WAIT.toMillis());
        DefaultErrorHandler handler = new DefaultErrorHandler(recoverer(), untilItWorks);
        handler.setClassifications(Map.of(), true);
        handler.setBackOffFunction((record, e) -> e instanceof UnreadableRecordException ? UNREADABLE : null);
        return handler;
    }

    private DeadLetterPublishingRecoverer recoverer() {
        DeadLetterPublishingRecoverer recoverer = new DeadLetterPublishingRecoverer(deadLetters.operations(),
                (record, e) -> new TopicPartition(record.topic() + DEAD_LETTERS, ANY_PARTITION));
        recoverer.setHeadersFunction(KafkaIn::reason);
        return recoverer;
    }

    private static @Nullable Headers reason(ConsumerRecord<?, ?> record, @Nullable Exception failure) {
        Throwable found = failure;
        while (found != null && !(found instanceof UnreadableRecordException)) {
            found = found.getCause();
        }
        if (!(found instanceof UnreadableRecordException unreadable)) {
            return null;
        }
        return new org.apache.kafka.common.header.internals.RecordHeaders().add(REASON_HEADER,
                RecordHeaders.bytes(unreadable.reason()));
    }

}
