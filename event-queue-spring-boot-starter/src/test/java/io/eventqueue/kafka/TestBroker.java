package io.eventqueue.kafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;

/**
 * A real broker in KRaft mode, as Spring's EmbeddedKafkaKraftBroker runs it, but one that
 * can be stopped and started again at the same address.
 */
final class TestBroker implements AutoCloseable {

    private static TestBroker shared;

    private final KafkaClusterTestKit cluster;

    private final KafkaProducer<String, String> producer;

    private TestBroker(KafkaClusterTestKit cluster) {
        this.cluster = cluster;
        this.producer = new KafkaProducer<>(Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers()),
                new StringSerializer(), new StringSerializer());
    }

    /** One for all tests that do not stop it. It ends with the JVM. */
    static synchronized TestBroker shared() {
        if (shared == null) {
            shared = start();
        }
        return shared;
    }

    static TestBroker start() {
        try {
            KafkaClusterTestKit cluster = new KafkaClusterTestKit.Builder(
                    new TestKitNodes.Builder().setCombined(true).setNumBrokerNodes(1).setNumControllerNodes(1).build())
                .setConfigProp("offsets.topic.replication.factor", "1")
                .setConfigProp("offsets.topic.num.partitions", "4")
                .setConfigProp("group.initial.rebalance.delay.ms", "0")
                .build();
            cluster.format();
            cluster.startup();
            cluster.waitForReadyBrokers();
            return new TestBroker(cluster);
        }
        catch (Exception e) {
            throw new IllegalStateException("The broker did not start", e);
        }
    }

    String bootstrapServers() {
        return cluster.bootstrapServers();
    }

    void stopBroker() {
        cluster.brokers().get(0).shutdown();
    }

    void startBroker() {
        cluster.brokers().get(0).startup();
    }

    void createTopic(String name, int partitions) throws Exception {
        try (Admin admin = admin()) {
            admin.createTopics(Set.of(new NewTopic(name, partitions, (short) 1))).all().get();
        }
    }

    /** Sends without waiting; {@link #flush()} waits. */
    void send(String topic, String key, String value, String... headers) {
        ProducerRecord<String, String> record = new ProducerRecord<>(topic, key, value);
        for (int i = 0; i < headers.length; i += 2) {
            record.headers().add(headers[i], headers[i + 1].getBytes(StandardCharsets.UTF_8));
        }
        producer.send(record);
    }

    void flush() {
        producer.flush();
    }

    /** Everything that is on the topic now. */
    List<ConsumerRecord<String, String>> records(String topic) {
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers()), new StringDeserializer(),
                new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic)
                .stream()
                .map(info -> new TopicPartition(topic, info.partition()))
                .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            List<ConsumerRecord<String, String>> found = new ArrayList<>();
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(100)).forEach(found::add);
            }
            return found;
        }
    }

    /** How many records the group has committed. */
    long committed(String group, String topic) throws ExecutionException, InterruptedException {
        try (Admin admin = admin()) {
            return admin.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get()
                .entrySet()
                .stream()
                .filter(entry -> entry.getKey().topic().equals(topic))
                .mapToLong(entry -> entry.getValue() == null ? 0 : entry.getValue().offset())
                .sum();
        }
    }

    static String header(ConsumerRecord<?, ?> record, String name) {
        return RecordHeaders.text(record.headers(), name);
    }

    private Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", bootstrapServers()));
    }

    @Override
    public void close() throws Exception {
        producer.close(Duration.ofSeconds(1));
        cluster.close();
    }

}
