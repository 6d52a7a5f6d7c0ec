package io.eventqueue.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.eventqueue.DeadLetterFilter;
import io.eventqueue.DeadLetters;
import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHandler;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventQueue;
import io.eventqueue.EventQueueListener;
import io.eventqueue.EventStatus;
import io.eventqueue.Notification;
import io.eventqueue.NotificationState;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.testsupport.FreshDatabase;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;

/**
 * Events and a transactional handler's success belong to the transactions of JPA. Nothing
 * is configured for it: the application has {@code spring-boot-starter-data-jpa}.
 */
@SpringBootTest(classes = JpaContract.Application.class, webEnvironment = WebEnvironment.NONE,
        properties = { "spring.autoconfigure.exclude=", "spring.jpa.hibernate.ddl-auto=create",
                "event-queue.handling.initial-backoff=1ms", "event-queue.handlers.book.max-attempts=3" })
abstract class JpaContract {

    record InvoiceCreated(int invoice) {
    }

    record InvoiceBooked(int invoice) {
    }

    @Autowired
    PlatformTransactionManager transactionManager;

    @Autowired
    Invoices invoices;

    @Autowired
    Ledger ledger;

    @Autowired
    LedgerEntries entries;

    @Autowired
    EventQueue queue;

    @Autowired
    EventFanoutJob fanout;

    @Autowired
    EventHandlingJob handling;

    @Autowired
    EventHandlerRegistry registry;

    @Autowired
    DeadLetters deadLetters;

    static void connect(DynamicPropertyRegistry registry, FreshDatabase database) {
        registry.add("spring.datasource.url", database::jdbcUrl);
        registry.add("spring.datasource.username", database::user);
        registry.add("spring.datasource.password", database::password);
    }

    @BeforeEach
    void empty() {
        assertThat(transactionManager).isInstanceOf(JpaTransactionManager.class);
        entries.deleteAll();
        deadLetters.discard(DeadLetterFilter.all(), "test");
        ledger.booking = envelope -> {
        };
        ledger.calls.set(0);
        ledger.booked.set(0);
    }

    private void drain() {
        while (fanout.drainOneRound() + handling.drainOneRound() > 0) {
            // until nothing is due
        }
    }

    private Notification booking(UUID event) {
        return queue.notifications(event).getFirst();
    }

    private void drainUntil(UUID event, NotificationState state) {
        await().untilAsserted(() -> {
            drain();
            assertThat(booking(event).state()).isEqualTo(state);
        });
    }

    @Test
    void whatAHandlerSavesAndItsSuccessCommitTogether() {
        UUID id = invoices.create(1, false);
        drain();
        assertThat(queue.find(id).orElseThrow().status()).isEqualTo(EventStatus.COMPLETED);
        assertThat(entries.count()).isEqualTo(1);
        assertThat(ledger.booked).hasValue(1);
    }

    @Test
    void anEventIsGoneWithTheTransactionThatPublishedIt() {
        assertThatThrownBy(() -> invoices.create(1, true)).isInstanceOf(IllegalStateException.class);
        drain();
        assertThat(entries.count()).isZero();
    }

    @Test
    void aFailedAttemptLeavesNothingBehind() {
        ledger.booking = envelope -> {
            if (envelope.attempt() < 3) {
                throw new IllegalStateException("not yet");
            }
        };
        UUID id = invoices.create(1, false);
        drainUntil(id, NotificationState.SUCCEEDED);
        drain();
        assertThat(booking(id).attempts()).isEqualTo(3);
        assertThat(entries.count()).isEqualTo(1);
        assertThat(ledger.booked).as("published in the transaction of the attempt").hasValue(1);
    }

    /** Hibernate writes at the commit, when the handler has long returned. */
    @Test
    void aRowThatIsRefusedAtTheCommitIsAFailureOfTheHandler() {
        entries.save(new LedgerEntry(1));
        UUID id = invoices.create(1, false);
        drainUntil(id, NotificationState.DEAD);
        drain();
        assertThat(booking(id).attempts()).isEqualTo(3);
        assertThat(booking(id).lastError()).contains("DataIntegrityViolationException");
        assertThat(entries.count()).isEqualTo(1);
        assertThat(ledger.booked).hasValue(0);

        entries.deleteAll();
        deadLetters.replay(DeadLetterFilter.all().handler("book"), "ann");
        drainUntil(id, NotificationState.SUCCEEDED);
        assertThat(entries.count()).isEqualTo(1);
    }

    @Test
    void aHandlerThatWasTakenOverIsRolledBack() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        ledger.booking = envelope -> {
            entries.flush();
            entered.countDown();
            release.await();
        };
        UUID id = invoices.create(1, false);
        fanout.drainOneRound();
        EventHandlingJob hung = EventHandlingJob.eventHandlingJob()
            .databases(handling.databases())
            .eventHandlerRegistry(registry)
            .abandonmentTimeout(Duration.ofSeconds(1))
            .build();
        Thread stale = Thread.ofVirtual().start(hung::drainOneRound);
        entered.await();
        // The first ends between the claim of the heir and its call. Meeting in the
        // database, on one core the heir would not let the first go on: H2 waits for a
        // key by trying again and again.
        EventHandlingJob heir = EventHandlingJob.eventHandlingJob()
            .databases(handling.databases())
            .eventHandlerRegistry(registry)
            .listener(new EventQueueListener() {
                @Override
                public void abandoned(String handler) {
                    release.countDown();
                    join(stale);
                }
            })
            .build();
        await().until(() -> heir.drainOneRound() > 0);
        drain();
        assertThat(ledger.calls).as("the mark of the first was rolled back too").hasValue(2);
        assertThat(booking(id).state()).isEqualTo(NotificationState.SUCCEEDED);
        assertThat(booking(id).attempts()).isEqualTo(2);
        assertThat(entries.count()).as("what the heir saved").isEqualTo(1);
        assertThat(ledger.booked).hasValue(1);
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        }
        catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    interface Booking {

        void onBooking(EventEnvelope<InvoiceCreated> envelope) throws Exception;

    }

    static class Invoices {

        private final EventQueue queue;

        Invoices(EventQueue queue) {
            this.queue = queue;
        }

        @Transactional
        UUID create(int invoice, boolean fails) {
            UUID id = queue.publish(new InvoiceCreated(invoice));
            if (fails) {
                throw new IllegalStateException("no such customer");
            }
            return id;
        }

    }

    static class Ledger {

        private final EventQueue queue;

        private final LedgerEntries entries;

        final AtomicInteger calls = new AtomicInteger();

        final AtomicInteger booked = new AtomicInteger();

        volatile Booking booking = envelope -> {
        };

        Ledger(EventQueue queue, LedgerEntries entries) {
            this.queue = queue;
            this.entries = entries;
        }

        @EventHandler(name = "book", idempotent = false, transactional = true)
        void book(InvoiceCreated event, EventEnvelope<InvoiceCreated> envelope) throws Exception {
            calls.incrementAndGet();
            entries.save(new LedgerEntry(event.invoice()));
            queue.publish(new InvoiceBooked(event.invoice()));
            booking.onBooking(envelope);
        }

        @EventHandler(name = "count")
        void count(InvoiceBooked event) {
            booked.incrementAndGet();
        }

    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({ Invoices.class, Ledger.class })
    static class Application {

    }

}
