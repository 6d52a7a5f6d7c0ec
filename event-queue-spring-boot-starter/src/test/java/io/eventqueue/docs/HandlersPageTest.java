package io.eventqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHandler;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventQueue;
import io.eventqueue.Handler;
import io.eventqueue.HandlerResult;
import io.eventqueue.Notification;
import io.eventqueue.NotificationState;
import io.eventqueue.UnrecoverableEventException;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** What docs/handlers.md, docs/retries.md and docs/nodes.md show, run. */
@SpringBootTest(properties = { "spring.datasource.url=jdbc:h2:mem:handlers;DB_CLOSE_DELAY=-1",
        "logging.level.io.eventqueue=error" })
class HandlersPageTest {

    record InvoiceCreated(String number, int cents) {
    }

    sealed interface PaymentEvent permits PaymentReceived, PaymentRefused {

    }

    record PaymentReceived(String number) implements PaymentEvent {
    }

    record PaymentRefused(String number, String reason) implements PaymentEvent {
    }

    static final List<String> CALLS = new CopyOnWriteArrayList<>();

    @Component
    static class Invoices {

        private final Bank bank;

        private final JdbcClient jdbc;

        Invoices(Bank bank, JdbcClient jdbc) {
            this.bank = bank;
            this.jdbc = jdbc;
        }

        @EventHandler(name = "archive")
        void archive(InvoiceCreated invoice) {
            CALLS.add("archive " + invoice.number());
        }

        @EventHandler(name = "collect")
        HandlerResult collect(InvoiceCreated invoice, EventEnvelope<InvoiceCreated> envelope) {
            Bank.Answer answer = bank.collect(envelope.notificationId(), invoice.cents());
            return switch (answer) {
                case DONE -> HandlerResult.success();
                case BUSY -> HandlerResult.transientError("The bank is busy", Duration.ofMinutes(2));
                case NO_SUCH_ACCOUNT -> HandlerResult.unrecoverableError("There is no such account");
            };
        }

        @EventHandler(name = "ledger", idempotent = false, transactional = true)
        void book(InvoiceCreated invoice) {
            jdbc.sql("INSERT INTO ledger (number, cents) VALUES (?, ?)")
                .params(invoice.number(), invoice.cents())
                .update();
        }

        @EventHandler(name = "payments")
        void payment(PaymentEvent event) {
            switch (event) {
                case PaymentReceived received -> CALLS.add("received " + received.number());
                case PaymentRefused refused -> CALLS.add("refused " + refused.number() + ": " + refused.reason());
            }
        }

        @EventHandler(name = "tax-report", aliases = "report", initialBackoff = "10s", maxBackoff = "1h",
                maxAttempts = 20, timeout = "30s", concurrency = 2, unrecoverable = IllegalArgumentException.class)
        void report(InvoiceCreated invoice) {
            if (invoice.cents() < 0) {
                throw new IllegalArgumentException("An invoice of " + invoice.cents() + " cents");
            }
            if (invoice.number().isBlank()) {
                throw new UnrecoverableEventException("An invoice without a number");
            }
        }

    }

    @EventHandler(name = "statistics")
    static class Statistics implements Handler<InvoiceCreated> {

        @Override
        public void handle(EventEnvelope<InvoiceCreated> envelope) {
            CALLS.add("statistics " + envelope.event().number() + ", attempt " + envelope.attempt());
        }

    }

    @Configuration(proxyBeanMethods = false)
    static class MoreHandlers {

        @Bean
        @EventHandler(name = "print")
        Handler<InvoiceCreated> print() {
            return envelope -> CALLS.add("print " + envelope.event().number());
        }

    }

    interface Bank {

        enum Answer {

            DONE, BUSY, NO_SUCH_ACCOUNT

        }

        Answer collect(UUID idempotencyKey, int cents);

    }

    @Autowired
    private EventQueue events;

    @Autowired
    private EventFanoutJob fanout;

    @Autowired
    private EventHandlingJob handling;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private EventHandlerRegistry registry;

    @Test
    void callsEveryKindOfHandler() {
        jdbc.sql("CREATE TABLE ledger (number VARCHAR(20) PRIMARY KEY, cents INT)").update();
        UUID good = events.publish(new InvoiceCreated("I-1", 300));
        UUID bad = events.publish(new InvoiceCreated("I-2", -1));
        events.publish(new PaymentReceived("I-1"));
        events.publish(new PaymentRefused("I-2", "no money"));
        fanout.drainOneRound();
        handling.drainOneRound();
        assertThat(CALLS).contains("archive I-1", "print I-1", "statistics I-1, attempt 1", "received I-1",
                "refused I-2: no money");
        assertThat(events.notifications(good)).extracting(Notification::state)
            .containsOnly(NotificationState.SUCCEEDED);
        assertThat(state(bad, "collect")).isEqualTo(NotificationState.DEAD);
        assertThat(state(bad, "tax-report")).isEqualTo(NotificationState.DEAD);
        assertThat(state(bad, "ledger")).isEqualTo(NotificationState.SUCCEEDED);
        assertThat(registry.find("report")).isEqualTo(registry.find("tax-report"));
        assertThat(jdbc.sql("SELECT count(*) FROM ledger").query(Integer.class).single()).isEqualTo(2);
    }

    private NotificationState state(UUID event, String handler) {
        return events.notifications(event)
            .stream()
            .filter(notification -> notification.handler().equals(handler))
            .findFirst()
            .orElseThrow()
            .state();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({ Invoices.class, Statistics.class, MoreHandlers.class })
    static class Application {

        @Bean
        Bank bank() {
            return (key, cents) -> cents < 0 ? Bank.Answer.NO_SUCH_ACCOUNT : Bank.Answer.DONE;
        }

    }

}
