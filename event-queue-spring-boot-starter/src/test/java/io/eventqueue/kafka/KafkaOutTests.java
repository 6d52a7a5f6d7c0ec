package io.eventqueue.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventQueue;
import io.eventqueue.NotificationState;
import io.eventqueue.PublishOptions;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.json.JsonMapper;

class KafkaOutTests {

    private static final int EVENTS = 400;

    private static final int KEYS = 10;

    private final String topic = "out-" + UUID.randomUUID();

    @BeforeEach
    void createTopic() throws Exception {
        TestBroker.shared().createTopic(topic, 3);
    }

    private ApplicationContextRunner publishing(TestBroker broker, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.addAll(List.of("event-queue.kafka.out.enabled=true", "event-queue.kafka.out.routes[0].topic=" + topic,
                "event-queue.handling.enabled=true", soon()));
        return KafkaContexts.withH2(broker, all.toArray(String[]::new));
    }

    private static String of(String property) {
        return "event-queue.kafka.out.routes[0]." + property;
    }

    /** However long the broker was away and needs to start, the next attempt is near. */
    private String soon() {
        return "event-queue.handlers." + KafkaOut.handlerName(topic) + ".max-backoff=1s";
    }

    private List<ConsumerRecord<String, String>> received(TestBroker broker, String topic, int records) {
        await().until(() -> broker.records(topic).size() >= records);
        return broker.records(topic);
    }

    private static List<String> states(ApplicationContext context) {
        return new JdbcTemplate(context.getBean(DataSource.class))
            .queryForList("SELECT DISTINCT state FROM eventlog.event_notifications", String.class);
    }

    @Test
    void publishesWithKeyHeadersAndId() {
        publishing(TestBroker.shared(), of("types=Placed"), of("headers.source=shop")).run(context -> {
            UUID id = context.getBean(EventQueue.class)
                .publish(new Placed("A-1", 12), PublishOptions.none().key("7").header("tenant", "x"));

            assertThat(received(TestBroker.shared(), topic, 1)).singleElement().satisfies(record -> {
                assertThat(record.key()).isEqualTo("7");
                assertThat(record.value()).isEqualTo("{\"orderId\":\"A-1\",\"amount\":12}");
                assertThat(TestBroker.header(record, "event-id")).isEqualTo(id.toString());
                assertThat(TestBroker.header(record, "event-type")).isEqualTo("Placed");
                assertThat(TestBroker.header(record, "source")).isEqualTo("shop");
                assertThat(TestBroker.header(record, "tenant")).isEqualTo("x");
            });
        });
    }

    @Test
    void takesTheKeyFromThePayloadAndBuriesAnEventWithoutIt() {
        publishing(TestBroker.shared(), of("types=Placed"), of("key=/orderId")).run(context -> {
            context.getBean(EventQueue.class).publish(new Placed("A-1", 12));
            assertThat(received(TestBroker.shared(), topic, 1)).singleElement()
                .satisfies(record -> assertThat(record.key()).isEqualTo("A-1"));

            context.getBean(EventQueue.class).publish(new Placed(null, 12));
            await().until(() -> states(context).contains(NotificationState.DEAD.name()));
        });
    }

    @Test
    void readsTheAnnotationUnlessTheConfigurationSaysOtherwise() throws Exception {
        TestBroker.shared().createTopic("annotated", 1);
        publishing(TestBroker.shared(), of("types=Placed")).withUserConfiguration(Application.class).run(context -> {
            assertThat(context.getBean(EventHandlerRegistry.class).knownNames())
                .containsExactlyInAnyOrder(KafkaOut.handlerName(topic), KafkaOut.handlerName("annotated"));
            context.getBean(EventQueue.class).publish(new Annotated("A-1"));

            assertThat(received(TestBroker.shared(), "annotated", 1)).singleElement().satisfies(record -> {
                assertThat(record.key()).isEqualTo("A-1");
                assertThat(TestBroker.header(record, "source")).isEqualTo("shop");
            });
        });
        publishing(TestBroker.shared(), of("types=Annotated")).withUserConfiguration(Application.class)
            .run(context -> assertThat(context.getBean(EventHandlerRegistry.class).knownNames())
                .containsExactly(KafkaOut.handlerName(topic)));
    }

    @Test
    void isOnlyDelayedWhileThereIsNoBroker() throws Exception {
        try (TestBroker broker = TestBroker.start()) {
            broker.createTopic(topic, 3);
            publishing(broker, of("types=Placed"), "event-queue.kafka.send-timeout=2s").run(context -> {
                EventQueue queue = context.getBean(EventQueue.class);
                queue.publish(new Placed("before", 1), PublishOptions.none().key("k"));
                received(broker, topic, 1);
                broker.stopBroker();
                queue.publish(new Placed("during", 2), PublishOptions.none().key("k"));
                await().until(() -> states(context).contains(NotificationState.FAILED.name()));

                broker.startBroker();

                assertThat(received(broker, topic, 2)).extracting(ConsumerRecord::value)
                    .containsSubsequence("{\"orderId\":\"before\",\"amount\":1}",
                            "{\"orderId\":\"during\",\"amount\":2}");
                await().untilAsserted(
                        () -> assertThat(states(context)).containsExactly(NotificationState.SUCCEEDED.name()));
            });
        }
    }

    /** Two nodes, two types of events, and a broker that goes away in the middle. */
    @Test
    void keepsTheOrderOfAKeyOnTheTopicThroughAnOutage() throws Exception {
        try (TestBroker broker = TestBroker.start(); FreshDatabase database = TestDatabase.POSTGRESQL.create(2)) {
            broker.createTopic(topic, 3);
            ApplicationContextRunner node = KafkaContexts.withDatabase(database.jdbcUrl(), broker,
                    "spring.datasource.username=" + database.user(),
                    "spring.datasource.password=" + database.password(), "event-queue.handling.enabled=true",
                    "event-queue.kafka.out.enabled=true", "event-queue.kafka.send-timeout=2s", of("topic=" + topic),
                    of("types=Placed,Shipped"), soon());
            node.run(first -> node.run(second -> {
                assertThat(first).hasNotFailed();
                assertThat(second).hasNotFailed();
                EventQueue queue = first.getBean(EventQueue.class);
                publish(queue, 0, EVENTS / 2);
                received(broker, topic, EVENTS / 4);
                broker.stopBroker();
                publish(queue, EVENTS / 2, EVENTS);
                await().until(() -> states(first).contains(NotificationState.FAILED.name()));
                broker.startBroker();

                await()
                    .untilAsserted(() -> assertThat(states(first)).containsExactly(NotificationState.SUCCEEDED.name()));
            }));

            Map<String, List<Integer>> byKey = broker.records(topic)
                .stream()
                .collect(Collectors.groupingBy(ConsumerRecord::key,
                        Collectors.mapping(record -> JsonMapper.shared().readTree(record.value()).at("/amount").asInt(),
                                Collectors.toList())));
            assertThat(byKey).hasSize(KEYS);
            byKey.forEach((key, numbers) -> assertThat(numbers).as(key).isSorted());
            assertThat(byKey.values().stream().flatMap(List::stream).distinct()).hasSize(EVENTS);
        }
    }

    private static void publish(EventQueue queue, int from, int to) {
        for (int i = from; i < to; i++) {
            queue.publish(i % 3 == 0 ? new Shipped(i) : new Placed("A-" + i, i),
                    PublishOptions.none().key("key-" + i % KEYS));
        }
    }

    record Shipped(int amount) {
    }

    record Placed(String orderId, int amount) {
    }

    @PublishToKafka(topic = "annotated", key = "/orderId", headers = "source=shop")
    record Annotated(String orderId) {
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = KafkaOutTests.class)
    static class Application {

    }

}
