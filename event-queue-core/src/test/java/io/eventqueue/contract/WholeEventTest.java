package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.HandlerResult;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** Events that a node claims whole for their only handler, on PostgreSQL. */
class WholeEventTest extends DatabaseContract {

    record Placed(int number) {
    }

    private final AtomicInteger calls = new AtomicInteger();

    private final CountDownLatch entered = new CountDownLatch(1);

    private final CountDownLatch mayEnd = new CountDownLatch(1);

    private Node node;

    WholeEventTest() {
        super(TestDatabase.POSTGRESQL);
    }

    @BeforeEach
    void letHandlersEndAtLast() {
        open.add(mayEnd::countDown);
    }

    /** Remembers what was claimed whole, which is not to be seen for long. */
    @BeforeEach
    void watchClaims() {
        JdbcTemplate jdbc = new JdbcTemplate(fresh.dataSource());
        jdbc.execute("CREATE TABLE claimed_whole (notifications INT NOT NULL)");
        jdbc.execute("""
                CREATE FUNCTION note_claim() RETURNS trigger AS $$
                BEGIN
                    INSERT INTO claimed_whole SELECT count(*) FROM eventlog.event_notifications;
                    RETURN NEW;
                END
                $$ LANGUAGE plpgsql""");
        jdbc.execute("CREATE TRIGGER note_claim AFTER INSERT OR UPDATE ON eventlog.events FOR EACH ROW"
                + " WHEN (NEW.status = 'PROCESSING' AND NEW.handler_name = 'h') EXECUTE FUNCTION note_claim()");
    }

    private Node waitingNode() {
        return node(handlers().withHandler(Placed.class, "h", event -> {
            calls.incrementAndGet();
            entered.countDown();
            mayEnd.await();
            return HandlerResult.success();
        }));
    }

    private void startAndPublish() throws InterruptedException {
        node = waitingNode().start();
        node.queue.publish(new Placed(1));
        assertThat(entered.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(count("claimed_whole WHERE notifications = 0")).as("claimed whole").isOne();
    }

    @Test
    void writesTheNotificationOnceItHasSucceeded() throws Exception {
        startAndPublish();
        assertThat(node.queue.poll()).as("for workers").isEmpty();
        mayEnd.countDown();
        awaitLogged("COMPLETED");
        assertThat(count("{event_notifications} WHERE state = 'SUCCEEDED' AND attempts = 1 AND owner IS NULL")).isOne();
        assertThat(count("{events}")).isZero();
        assertThat(calls).hasValue(1);
    }

    @Test
    void showsARunThatTakesItsTime() throws Exception {
        startAndPublish();
        await().untilAsserted(() -> assertThat(
                count("{event_notifications} WHERE state = 'PENDING' AND attempts = 1 AND owner IS NOT NULL"))
            .isOne());
        assertThat(count("{events} WHERE status = 'DELIVERED' AND handler_name IS NULL AND worker_id IS NULL")).isOne();
        mayEnd.countDown();
        awaitLogged("COMPLETED");
        assertThat(node.fenced).hasValue(0);
        assertThat(calls).hasValue(1);
    }

    @Test
    void expiresInsteadOfBeingHandledLate() {
        node = waitingNode();
        node.queue.publish(new Placed(1));
        clock.advance(Duration.ofDays(8));
        node.queue.publish(new Placed(2));
        node.start();
        await().atMost(Duration.ofSeconds(30))
            .untilAsserted(() -> assertThat(count("{event_notifications} WHERE state = 'EXPIRED' AND attempts = 0"))
                .as("the old one")
                .isOne());
        mayEnd.countDown();
        awaitLogged("COMPLETED");
        awaitLogged("COMPLETED_WITH_ERRORS");
        assertThat(calls).as("the new one").hasValue(1);
    }

    @Test
    void isTakenOverWhenItsLeaseEnds() throws Exception {
        startAndPublish();
        clock.advance(Duration.ofMinutes(2));
        AtomicInteger takenOver = new AtomicInteger();
        Node other = node(handlers().withHandler(Placed.class, "h", event -> {
            takenOver.incrementAndGet();
            return HandlerResult.success();
        }));
        other.drain();
        assertThat(takenOver).hasValue(1);
        assertThat(other.abandoned).hasValue(1);
        mayEnd.countDown();
        await().untilAsserted(() -> assertThat(node.fenced).hasValue(1));
        assertThat(count("{event_log} WHERE attempts = 2")).isOne();
        assertThat(count("{event_notifications} WHERE state = 'SUCCEEDED' AND attempts = 2")).isOne();
    }

    @Test
    void cannotBeEndedByWhoeverLostIt() throws Exception {
        startAndPublish();
        clock.advance(Duration.ofMinutes(2));
        CountDownLatch takenOver = new CountDownLatch(1);
        CountDownLatch heirMayEnd = new CountDownLatch(1);
        open.add(heirMayEnd::countDown);
        Node heir = node(handlers().withHandler(Placed.class, "h", event -> {
            takenOver.countDown();
            heirMayEnd.await();
            return HandlerResult.unrecoverableError("the heir decides");
        }));
        Thread running = Thread.ofVirtual().start(heir::drain);
        assertThat(takenOver.await(1, TimeUnit.MINUTES)).isTrue();
        mayEnd.countDown();
        await().untilAsserted(() -> assertThat(node.fenced).hasValue(1));
        assertThat(count("{event_log}")).isZero();
        heirMayEnd.countDown();
        running.join();
        awaitLogged("COMPLETED_WITH_ERRORS");
    }

    @Test
    void failsAsAnyOther() {
        node = node(handlers().withHandler(Placed.class, "h", event -> {
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("not yet");
            }
            return HandlerResult.success();
        })).start();
        node.queue.publish(new Placed(1));
        await().untilAsserted(() -> assertThat(
                count("{event_notifications} WHERE state = 'FAILED' AND attempts = 1 AND last_error LIKE '%not yet%'"))
            .isOne());
        assertThat(count("{event_attempts} WHERE action = 'FAILED' AND attempt = 1")).isOne();
        clock.advance(Duration.ofMinutes(1));
        awaitLogged("COMPLETED");
        assertThat(count("{event_log} WHERE attempts = 2")).isOne();
    }

    @Test
    void isHandedBackWhenTheNodeStops() throws Exception {
        node = opened(new Node(fresh.dataSource(), clock, handlers().withHandler(Placed.class, "h", event -> {
            entered.countDown();
            mayEnd.await();
            return HandlerResult.success();
        }).build(), settings -> settings.shutdownTimeout(Duration.ofMillis(50))));
        node.start();
        node.queue.publish(new Placed(1));
        assertThat(entered.await(1, TimeUnit.MINUTES)).isTrue();
        node.close();
        assertThat(count("{event_notifications} WHERE state = 'PENDING' AND owner IS NULL")).isOne();
        assertThat(count("{events} WHERE handler_name IS NOT NULL")).isZero();
    }

    @Test
    void isNotDoneForTwoHandlers() throws Exception {
        node = node(handlers().withHandler(Placed.class, "other", event -> HandlerResult.success())
            .withHandler(Placed.class, "h", event -> {
                entered.countDown();
                mayEnd.await();
                return HandlerResult.success();
            })).start();
        node.queue.publish(new Placed(1));
        assertThat(entered.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(count("{event_notifications}")).isEqualTo(2);
        assertThat(count("claimed_whole")).isZero();
        mayEnd.countDown();
        awaitLogged("COMPLETED");
    }

    private void awaitLogged(String status) {
        await().untilAsserted(() -> assertThat(count("{event_log} WHERE status = '" + status + "'")).isOne());
    }

    private long count(String from) {
        return node.database.query("SELECT count(*) FROM " + from, Map.of(), (rs, row) -> rs.getLong(1)).getFirst();
    }

}
