package io.eventqueue.springboot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHandler;
import io.eventqueue.EventQueue;
import io.eventqueue.EventStatus;
import io.eventqueue.testsupport.FreshDatabase;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.transaction.annotation.Transactional;

/**
 * A whole application on whatever database the subclass names: it stores orders and
 * publishes events in one transaction, and handles them while it runs.
 */
@SpringBootTest(classes = ShopContract.Shop.class, webEnvironment = WebEnvironment.NONE,
        properties = { "event-queue.handling.enabled=true", "event-queue.handling.initial-backoff=50ms",
                "event-queue.handling-poll-delay=100ms" })
abstract class ShopContract {

    @Autowired
    Orders orders;

    @Autowired
    EventQueue queue;

    @Autowired
    JdbcTemplate jdbc;

    static void connect(DynamicPropertyRegistry registry, FreshDatabase database) {
        registry.add("spring.datasource.url", database::jdbcUrl);
        registry.add("spring.datasource.username", database::user);
        registry.add("spring.datasource.password", database::password);
    }

    @BeforeEach
    void createTables() {
        jdbc.execute("DROP TABLE IF EXISTS orders");
        jdbc.execute("DROP TABLE IF EXISTS mails");
        jdbc.execute("CREATE TABLE orders (number INT PRIMARY KEY)");
        jdbc.execute("CREATE TABLE mails (number INT)");
    }

    private int count(String table) {
        Integer count = jdbc.queryForObject("SELECT count(*) FROM " + table, Integer.class);
        return count == null ? 0 : count;
    }

    @Test
    void handlesWhatWasCommittedAndRetriesWhatFailed() {
        UUID id = orders.place(1, false);
        await().untilAsserted(() -> assertThat(queue.find(id)).get()
            .satisfies(event -> assertThat(event.status()).isEqualTo(EventStatus.COMPLETED)));
        assertThat(count("orders")).isOne();
        assertThat(count("mails")).as("a failed attempt of a transactional handler leaves nothing behind").isOne();
    }

    @Test
    void knowsNothingOfWhatWasRolledBack() {
        int before = count(EVENTS_OF_ALL.formatted(prefix()));
        assertThatThrownBy(() -> orders.place(2, true)).isInstanceOf(IllegalStateException.class);
        assertThat(count("orders")).isZero();
        assertThat(count(EVENTS_OF_ALL.formatted(prefix()))).isEqualTo(before);
    }

    private static final String EVENTS_OF_ALL = "(SELECT id FROM %1$sevents UNION ALL SELECT id FROM %1$sevent_log) e";

    /** Where the tables are. */
    String prefix() {
        return "eventlog.";
    }

    record OrderPlaced(int number) {
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class Shop {

    }

    static class Orders {

        private final EventQueue queue;

        private final JdbcTemplate jdbc;

        Orders(EventQueue queue, JdbcTemplate jdbc) {
            this.queue = queue;
            this.jdbc = jdbc;
        }

        @Transactional
        UUID place(int number, boolean fails) {
            jdbc.update("INSERT INTO orders (number) VALUES (?)", number);
            UUID id = queue.publish(new OrderPlaced(number));
            if (fails) {
                throw new IllegalStateException("no such item");
            }
            return id;
        }

        @EventHandler(name = "send-mail", idempotent = false, transactional = true)
        void sendMail(OrderPlaced event, EventEnvelope<OrderPlaced> envelope) {
            jdbc.update("INSERT INTO mails (number) VALUES (?)", event.number());
            if (envelope.attempt() == 1) {
                throw new IllegalStateException("the mail server is away");
            }
        }

        @EventHandler(name = "index-order")
        void index(OrderPlaced event) {
            jdbc.queryForObject("SELECT number FROM orders WHERE number = ?", Integer.class, event.number());
        }

    }

}
