package io.eventqueue.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventConsumer;
import io.eventqueue.EventQueue;
import io.eventqueue.IncomingEvent;
import io.eventqueue.InvalidIncomingEventException;
import io.eventqueue.jdbc.Database;
import io.eventqueue.outbox.TransactionalEventConsumer;
import io.eventqueue.outbox.TransactionalEventQueue;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;

class KafkaInTests {

    private final TestBroker broker = TestBroker.shared();

    private final String topic = "in-" + UUID.randomUUID();

    @BeforeEach
    void createTopics() throws Exception {
        broker.createTopic(topic, 1);
        broker.createTopic(topic + "-dlt", 1);
    }

    private ApplicationContextRunner listening(String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.addAll(List.of("event-queue.kafka.in.enabled=true", "event-queue.kafka.in.group-id=" + topic,
                "event-queue.kafka.in.topics[0].name=" + topic));
        return KafkaContexts.withH2(broker, all.toArray(String[]::new));
    }

    private static String of(String property) {
        return "event-queue.kafka.in.topics[0]." + property;
    }

    private static List<Map<String, Object>> events(ApplicationContext context) {
        return new JdbcTemplate(context.getBean(DataSource.class))
            .queryForList("SELECT id, event_type, event_key, CAST(payload AS VARCHAR) AS payload FROM eventlog.events"
                    + " ORDER BY seq");
    }

    private void awaitCommitted(long records) {
        await().until(() -> broker.committed(topic, topic) == records);
    }

    @Test
    void storesARecordOnceHoweverOftenItComes() {
        UUID id = UUID.randomUUID();
        broker.send(topic, "7", "{\"a\":1}", "event-id", id.toString(), "event-type", "Placed", "source", "shop");
        broker.send(topic, "7", "{\"a\":1}", "event-id", id.toString(), "event-type", "Placed", "source", "shop");
        listening().run(context -> {
            awaitCommitted(2);

            assertThat(context.getBean(EventQueue.class).find(id)).get().satisfies(event -> {
                assertThat(event.eventType()).isEqualTo("Placed");
                assertThat(event.key()).isEqualTo("7");
                assertThat(event.headers()).isEqualTo(Map.of("source", "shop"));
            });
            assertThat(events(context)).hasSize(1);
        });
    }

    @Test
    void takesTypeAndIdFromWhereTheConfigurationSays() {
        broker.send(topic, null, "{\"meta\":{\"id\":\"A-1\",\"kind\":\"order.placed\"}}");
        broker.send(topic, null, "{\"meta\":{\"id\":\"A-1\",\"kind\":\"order.placed\"},\"again\":true}");
        broker.send(topic, null, "{\"meta\":{\"id\":\"A-2\",\"kind\":\"order.viewed\"}}");
        broker.send(topic, null, "{\"meta\":{\"id\":\"A-3\"}}", "kind", "order.placed");
        listening(of("id-pointer=/meta/id"), of("type-header=kind"), of("type-pointer=/meta/kind"),
                of("types[order.placed]=Placed"))
            .run(context -> {
                awaitCommitted(4);

                assertThat(events(context)).extracting("id", "event_type")
                    .containsExactly(tuple(IncomingEvent.idOf(topic, "A-1"), "Placed"),
                            tuple(IncomingEvent.idOf(topic, "A-3"), "Placed"));
            });
    }

    @Test
    void tellsRecordsWithoutIdApartByTheirPlaceOnTheTopic() {
        broker.send(topic, null, "{}");
        broker.send(topic, "x".repeat(300), "{}");
        listening(of("type=Placed")).run(context -> {
            awaitCommitted(2);

            assertThat(events(context)).extracting("id")
                .containsExactly(IncomingEvent.idOf(topic, "0@0"), IncomingEvent.idOf(topic, "0@1"));
            assertThat(events(context).getLast().get("EVENT_KEY")).asString().hasSize(36);
        });
    }

    @Test
    void movesOnAfterThreeTriesOfARecordItCannotRead() {
        broker.send(topic, "1", "{}", "event-type", "Placed");
        broker.send(topic, "2", "{\"number\":", "event-type", "Placed");
        broker.send(topic, "3", "{}");
        broker.send(topic, "4", null, "event-type", "Placed");
        broker.send(topic, "5", "{}", "event-type", "Placed");
        listening().withUserConfiguration(Counting.class).run(context -> {
            awaitCommitted(5);

            assertThat(events(context)).extracting("event_key").containsExactly("1", "5");
            List<ConsumerRecord<String, String>> dead = broker.records(topic + "-dlt");
            assertThat(dead).extracting(ConsumerRecord::key).containsExactly("2", "3", "4");
            assertThat(dead).extracting(ConsumerRecord::value).containsExactly("{\"number\":", "{}", null);
            assertThat(dead).extracting(record -> TestBroker.header(record, KafkaIn.REASON_HEADER))
                .satisfiesExactly(reason -> assertThat(reason).contains("is not JSON"),
                        reason -> assertThat(reason).contains("names no event type"),
                        reason -> assertThat(reason).contains("has no value"));
            assertThat(TestBroker.header(dead.getFirst(), "kafka_dlt-original-topic")).isEqualTo(topic);
            assertThat(context.getBean(Counting.class).refused).hasValue(3);
        });
    }

    @Test
    void requiresTheIdItWasToldToLookFor() {
        broker.send(topic, "1", "{}", "event-type", "Placed");
        listening(of("id-header=message-id")).run(context -> {
            awaitCommitted(1);

            assertThat(events(context)).isEmpty();
            assertThat(broker.records(topic + "-dlt")).singleElement()
                .satisfies(record -> assertThat(TestBroker.header(record, KafkaIn.REASON_HEADER))
                    .contains("no header 'message-id'"));
        });
    }

    @Test
    void waitsForTheDatabaseAndCommitsNoOffsetBefore() {
        listening().withUserConfiguration(Unreliable.class).run(context -> {
            Unreliable database = context.getBean(Unreliable.class);
            database.away.set(true);
            for (int i = 0; i < 10; i++) {
                broker.send(topic, null, "{}", "event-type", "Placed");
            }
            await().until(() -> database.refused.get() > 1);
            assertThat(broker.committed(topic, topic)).isZero();

            database.away.set(false);

            awaitCommitted(10);
            assertThat(events(context)).hasSize(10);
            assertThat(broker.records(topic + "-dlt")).isEmpty();
        });
    }

    /** Counts the batches with a record that cannot be stored. */
    @Configuration(proxyBeanMethods = false)
    static class Counting {

        final AtomicInteger refused = new AtomicInteger();

        @Bean
        EventConsumer counting(List<Database> databases, TransactionalEventQueue queue) {
            EventConsumer real = new TransactionalEventConsumer(databases.getFirst(), queue);
            return events -> {
                try {
                    return real.consume(events);
                }
                catch (InvalidIncomingEventException e) {
                    refused.incrementAndGet();
                    throw e;
                }
            };
        }

    }

    /** A DataSource that can be taken away. */
    @Configuration(proxyBeanMethods = false)
    static class Unreliable implements BeanPostProcessor {

        final AtomicBoolean away = new AtomicBoolean();

        final AtomicInteger refused = new AtomicInteger();

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            return !(bean instanceof DataSource dataSource) ? bean : new DelegatingDataSource(dataSource) {
                @Override
                public Connection getConnection() throws SQLException {
                    if (away.get()) {
                        refused.incrementAndGet();
                        throw new SQLTransientConnectionException("away");
                    }
                    return super.getConnection();
                }
            };
        }

    }

}
