package io.eventqueue.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventHandler;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Everything that goes wrong with a broker at once: duplicates, rebalances, an outage.
 */
@Timeout(600)
class KafkaDeliveryTests {

    private static final int EVENTS = 10_000;

    private static final String TOPIC = "orders";

    @Test
    void losesNoEventAndHandlesNoneTwice() throws Exception {
        try (TestBroker broker = TestBroker.start(); FreshDatabase database = TestDatabase.POSTGRESQL.create(5)) {
            broker.createTopic(TOPIC, 6);
            JdbcTemplate jdbc = new JdbcTemplate(database.dataSource());
            jdbc.execute("CREATE TABLE handled (number INT NOT NULL)");
            ApplicationContextRunner node = KafkaContexts
                .withDatabase(database.jdbcUrl(), broker, "spring.datasource.username=" + database.user(),
                        "spring.datasource.password=" + database.password(),
                        "spring.datasource.hikari.maximum-pool-size=16", "event-queue.handling.enabled=true",
                        "event-queue.kafka.in.enabled=true", "event-queue.kafka.in.group-id=billing",
                        "event-queue.kafka.in.concurrency=2", "event-queue.kafka.in.topics[0].name=" + TOPIC)
                .withUserConfiguration(Handlers.class);

            node.run(first -> {
                assertThat(first).hasNotFailed();
                send(broker, 0, EVENTS / 2);
                awaitHandled(jdbc, EVENTS / 10);
                node.run(second -> {
                    assertThat(second).hasNotFailed();
                    send(broker, EVENTS / 2, EVENTS * 3 / 4);
                    broker.flush();
                    broker.stopBroker();
                    broker.startBroker();
                    first.close();
                    send(broker, EVENTS * 3 / 4, EVENTS);
                    broker.flush();
                    awaitHandled(jdbc, EVENTS);
                    await().until(() -> broker.committed("billing", TOPIC) == broker.records(TOPIC).size());
                });
            });

            assertThat(broker.records(TOPIC)).hasSizeGreaterThan(EVENTS);
            assertThat(jdbc.queryForObject("SELECT count(DISTINCT number) FROM handled", Integer.class))
                .isEqualTo(EVENTS);
            assertThat(jdbc.queryForList("SELECT number FROM handled GROUP BY number HAVING count(*) > 1")).isEmpty();
        }
    }

    /**
     * Every fourth is sent again, at once on another partition and once more long after.
     */
    private static void send(TestBroker broker, int from, int to) {
        for (int i = from; i < to; i++) {
            send(broker, i, "key-" + i % 50);
            if (i % 4 == 0) {
                send(broker, i, "other-" + i % 50);
                send(broker, i / 2, "late-" + i % 50);
            }
        }
    }

    private static void send(TestBroker broker, int number, String key) {
        broker.send(TOPIC, key, "{\"number\":" + number + "}", "event-id", "order-" + number, "event-type", "Placed");
    }

    private static void awaitHandled(JdbcTemplate jdbc, int events) {
        await().atMost(Duration.ofSeconds(240))
            .until(() -> jdbc.queryForObject("SELECT count(*) FROM handled", Integer.class) >= events);
    }

    record Placed(int number) {
    }

    @Configuration(proxyBeanMethods = false)
    static class Handlers {

        @Bean
        Recorder recorder(DataSource dataSource) {
            return new Recorder(new JdbcTemplate(dataSource));
        }

    }

    record Recorder(JdbcTemplate jdbc) {

        @EventHandler(name = "record", idempotent = false, transactional = true)
        void handle(Placed event) {
            jdbc.update("INSERT INTO handled (number) VALUES (?)", event.number());
        }

    }

}
