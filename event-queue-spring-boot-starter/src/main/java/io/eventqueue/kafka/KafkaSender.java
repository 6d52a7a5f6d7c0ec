package io.eventqueue.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;

/**
 * Sends records and waits until all in-sync replicas have them. It connects as the
 * application's own producers do, but has a producer to itself: what is configured there
 * may not weaken the confirmation.
 */
public final class KafkaSender implements AutoCloseable {

    private final DefaultKafkaProducerFactory<byte[], byte[]> producers;

    private final KafkaTemplate<byte[], byte[]> template;

    /**
     * @param timeout after which a record counts as failed, for certain: the client does
     * not go on trying in secret, which could change the order of records
     */
    public KafkaSender(ProducerFactory<?, ?> application, Duration timeout) {
        ByteArraySerializer bytes = new ByteArraySerializer();
        this.producers = new DefaultKafkaProducerFactory<>(
                configuration(application.getConfigurationProperties(), timeout), bytes, bytes);
        application.getListeners().forEach(this::listen);
        this.template = new KafkaTemplate<>(producers);
        // Whoever calls gets the exception; the template would log it a second time.
        this.template.setProducerListener(null);
    }

    private static Map<String, Object> configuration(Map<String, Object> application, Duration timeout) {
        Map<String, Object> configuration = new HashMap<>(application);
        configuration.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        configuration.put(ProducerConfig.ACKS_CONFIG, "all");
        configuration.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        configuration.put(ProducerConfig.RETRIES_CONFIG, Integer.MAX_VALUE);
        configuration.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, timeout.toMillis());
        configuration.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Math.toIntExact(timeout.toMillis()));
        configuration.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.toIntExact(timeout.toMillis() / 2));
        return configuration;
    }

    /** Metrics and the like; they do not look at keys and values. */
    @SuppressWarnings("unchecked")
    private void listen(ProducerFactory.Listener<?, ?> listener) {
        producers.addListener((ProducerFactory.Listener<byte[], byte[]>) listener);
    }

    /** Returns when the broker has confirmed the record. */
    void send(ProducerRecord<byte[], byte[]> record) throws Exception {
        try {
            template.send(record).get();
        }
        catch (ExecutionException | KafkaException e) {
            throw reason(e);
        }
    }

    private static Exception reason(Exception failure) {
        Exception reason = failure;
        while ((reason instanceof ExecutionException || reason instanceof KafkaException)
                && reason.getCause() instanceof Exception cause) {
            reason = cause;
        }
        return reason;
    }

    KafkaOperations<byte[], byte[]> operations() {
        return template;
    }

    @Override
    public void close() {
        template.destroy();
        producers.destroy();
    }

}
