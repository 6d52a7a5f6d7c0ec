package io.eventqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventLogProjection;
import io.eventqueue.EventManager;
import io.eventqueue.EventQueue;
import io.eventqueue.EventStatus;
import io.eventqueue.HandlerResult;
import io.eventqueue.ProjectionContext;
import io.eventqueue.PublishOptions;
import io.eventqueue.QueuedEvent;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What docs/pull.md and docs/manual-wiring.md show of workers and EventManager, run. */
class PullPageTest {

    record Mail(String to, String text) {
    }

    record Bar(int number) {
    }

    private final FreshDatabase fresh = TestDatabase.H2.create();

    private final DataSource dataSource = fresh.dataSource();

    private final List<String> sent = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        fresh.close();
    }

    private void send(Mail mail) {
        if (mail.to().isEmpty()) {
            throw new IllegalStateException("no recipient");
        }
        sent.add(mail.to());
    }

    private void work(EventQueue queue, CountDownLatch stop) throws InterruptedException {
        while (stop.getCount() > 0) {
            QueuedEvent event = queue.poll(Set.of("mail"), "mailer-1").orElse(null);
            if (event == null) {
                stop.await(1, TimeUnit.SECONDS);
                continue;
            }
            try {
                send(queue.read(event, Mail.class));
                queue.finalizeEvent(event, List.of());
            }
            catch (IllegalStateException e) {
                queue.retry(event, e.getMessage(), Duration.ofMinutes(5));
            }
        }
    }

    @Test
    void theWorkerLoopWorks() throws Exception {
        try (EventManager manager = EventManager.eventManager(dataSource).build()) {
            EventQueue queue = manager.queue();
            queue.publish(new Mail("ada@example.org", "Welcome"), PublishOptions.none().tags("mail"));
            UUID bad = queue.publish(new Mail("", ""), PublishOptions.none().tags("mail").maxRetries(1));
            CountDownLatch stop = new CountDownLatch(1);
            Thread worker = Thread.ofVirtual().start(() -> {
                try {
                    work(queue, stop);
                }
                catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            await().until(() -> queue.find(bad).orElseThrow().status() == EventStatus.FAILED);
            stop.countDown();
            worker.join();
            assertThat(sent).containsExactly("ada@example.org");
        }
    }

    @Test
    void workAndItsEndCommitTogether() {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        jdbc.execute("CREATE TABLE sent_mail (recipient VARCHAR(100))");
        TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        try (EventManager manager = EventManager.eventManager(dataSource).build()) {
            EventQueue queue = manager.queue();
            queue.publish(new Mail("ada@example.org", "Welcome"));
            QueuedEvent event = queue.poll().orElseThrow();
            transaction.executeWithoutResult(status -> {
                jdbc.update("INSERT INTO sent_mail VALUES (?)", queue.read(event, Mail.class).to());
                queue.finalizeEvent(event, List.of());
            });
            assertThat(queue.find(event.id()).orElseThrow().status()).isEqualTo(EventStatus.COMPLETED);
        }
    }

    @Test
    void eventManagerIsTheWholeEngine() {
        List<Integer> printed = new CopyOnWriteArrayList<>();
        try (EventManager manager = EventManager.eventManager(dataSource).register(Bar.class, "print-bar", bar -> {
            printed.add(bar.number());
            return HandlerResult.success();
        }).build()) {
            manager.start();
            manager.queue().publish(new Bar(1));
            await().until(() -> printed.contains(1));
        }
    }

    private static final class MailsPerPerson implements EventLogProjection {

        @Override
        public String name() {
            return "mails-per-person";
        }

        @Override
        public void handle(QueuedEvent event, ProjectionContext context) {
            context.jdbc().update("INSERT INTO mails VALUES (?)", context.read(event, Mail.class).to());
        }

    }

    @Test
    void eventManagerRunsProjections() {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        jdbc.execute("CREATE TABLE mails (recipient VARCHAR(100))");
        EventManager manager = EventManager.eventManager(dataSource)
            .register(Mail.class, "send", mail -> HandlerResult.success())
            .register(new MailsPerPerson())
            .build();
        try (manager) {
            manager.start();
            manager.queue().publish(new Mail("ada@example.org", "Welcome"));
            await().until(() -> jdbc.queryForList("SELECT recipient FROM mails").size() == 1);
            assertThat(manager.projections().names()).containsExactly("mails-per-person");
        }
    }

}
