package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.HandlerResult;
import io.eventqueue.PublishOptions;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.handling.SubscriptionControl;
import io.eventqueue.loop.Handover;
import io.eventqueue.testsupport.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Events that go from the commit straight to their only handler, on the PostgreSQL node
 * that published them.
 */
class HandoverTest extends DatabaseContract {

    record Placed(int number) {
    }

    private final Queue<String> seen = new ConcurrentLinkedQueue<>();

    private Node node;

    private TransactionTemplate transaction;

    HandoverTest() {
        super(TestDatabase.POSTGRESQL);
    }

    @BeforeEach
    void startNode() {
        use(started(recording("h").build(), settings -> settings));
    }

    private void use(Node used) {
        node = used;
        transaction = new TransactionTemplate(node.shard.transactionManager());
        awaitOffer();
    }

    private Node started(EventHandlerRegistry handlers, UnaryOperator<EventHandlingJob.Builder> settings) {
        return opened(new Node(fresh.dataSource(), clock, handlers, settings)).start();
    }

    private EventHandlerRegistry.Builder recording(String name) {
        return handlers().withHandler(Placed.class, name, event -> {
            seen.add(name + event.number());
            return HandlerResult.success();
        });
    }

    private void awaitOffer() {
        await().until(() -> offers());
    }

    private boolean offers() {
        Handover handover = node.shard.signals().handover();
        return handover != null && handover.offerFor("Placed") != null;
    }

    /** As the publisher's own transaction sees it. */
    private String statusOf(UUID event) {
        return node.queue.find(event).orElseThrow().status().name();
    }

    private long logged(String condition) {
        return count(node, "SELECT count(*) FROM {event_log} WHERE " + condition);
    }

    private void awaitLogged(int events) {
        await().until(() -> logged("status = 'COMPLETED' AND attempts = 1") == events);
    }

    @Test
    void isClaimedByTheInsertAndHandledAfterTheCommit() {
        transaction.executeWithoutResult(status -> {
            UUID event = node.queue.publish(new Placed(1));
            assertThat(statusOf(event)).isEqualTo("PROCESSING");
            assertThat(seen).as("before the commit").isEmpty();
        });
        awaitLogged(1);
        assertThat(seen).containsExactly("h1");
        assertThat(count(node, "SELECT count(*) FROM {event_notifications} WHERE state = 'SUCCEEDED' AND attempts = 1"))
            .isOne();
    }

    @Test
    void isNeverHandledIfTheTransactionRollsBack() {
        transaction.executeWithoutResult(status -> {
            node.queue.publish(new Placed(1));
            status.setRollbackOnly();
        });
        node.queue.publish(new Placed(2));
        awaitLogged(1);
        assertThat(seen).containsExactly("h2");
    }

    @Test
    void isNeverHandledIfASavepointRollsBack() {
        transaction.executeWithoutResult(status -> {
            Connection connection = DataSourceUtils.getConnection(fresh.dataSource());
            try {
                Savepoint savepoint = connection.setSavepoint();
                assertThat(statusOf(node.queue.publish(new Placed(1)))).isEqualTo("PENDING");
                connection.rollback(savepoint);
                connection.releaseSavepoint(savepoint);
                assertThat(statusOf(node.queue.publish(new Placed(2)))).isEqualTo("PROCESSING");
                connection.rollback(connection.setSavepoint());
            }
            catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        awaitLogged(1);
        assertThat(seen).containsExactly("h2");
    }

    @Test
    void isHandledAlsoIfAnotherCallbackFailsAfterTheCommit() {
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    throw new IllegalStateException("after the commit");
                }
            });
            node.queue.publish(new Placed(1));
        })).hasMessage("after the commit");
        awaitLogged(1);
    }

    @Test
    void reachesAHandlerThatWasSubscribedMeanwhile() {
        publishWhileAnotherSubscribes();
        awaitLoggedFor("h1", "other1");
    }

    @Test
    void reachesAHandlerThatWasSubscribedMeanwhileAlsoIfTheFirstFails() {
        node.close();
        use(started(handlers().withHandler(Placed.class, "h", event -> {
            seen.add("h" + event.number());
            return HandlerResult.unrecoverableError("never");
        }).build(), settings -> settings));
        publishWhileAnotherSubscribes();
        await().until(() -> logged("status = 'COMPLETED_WITH_ERRORS'") == 1);
        assertThat(seen).containsExactlyInAnyOrder("h1", "other1");
    }

    private void publishWhileAnotherSubscribes() {
        transaction.executeWithoutResult(status -> {
            assertThat(statusOf(node.queue.publish(new Placed(1)))).isEqualTo("PROCESSING");
            subscribeElsewhere();
        });
    }

    private void subscribeElsewhere() {
        Thread elsewhere = Thread.ofPlatform().start(() -> {
            Node other = started(recording("other").build(), settings -> settings);
            await().until(() -> count(other, "SELECT count(*) FROM {event_handlers}") == 2);
        });
        try {
            elsewhere.join();
        }
        catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void awaitLoggedFor(String... expected) {
        await().until(() -> logged("status = 'COMPLETED' AND attempts = " + expected.length) == 1);
        assertThat(seen).containsExactlyInAnyOrder(expected);
    }

    @Test
    void isGivenUpIfThereIsNoRoom() {
        node.close();
        CountDownLatch mayEnd = new CountDownLatch(1);
        open.add(mayEnd::countDown);
        use(started(handlers().withHandler(Placed.class, "h", event -> {
            seen.add("h" + event.number());
            mayEnd.await();
            return HandlerResult.success();
        }).build(), settings -> settings.concurrency(1)));
        node.queue.publishAll(List.of(new Placed(1), new Placed(2)));
        await().until(() -> count(node, "SELECT count(*) FROM {event_notifications} WHERE owner IS NULL") == 1);
        assertThat(offers()).as("while it has no room").isFalse();
        mayEnd.countDown();
        awaitLogged(2);
        assertThat(seen).containsExactlyInAnyOrder("h1", "h2");
    }

    @Test
    void isGivenUpIfTheTransactionTookItsTime() {
        between(committed -> committed.stream().map(HandoverTest::anHourOld).toList());
        node.queue.publish(new Placed(1));
        awaitLogged(1);
        assertThat(seen).containsExactly("h1");
        assertThat(count(node, "SELECT count(*) FROM claims_given_up")).isOne();
    }

    private static Handover.Committed anHourOld(Handover.Committed event) {
        return new Handover.Committed(event.id(), event.type(), event.offer(), event.payload(), event.headers(),
                event.key(), event.eventDate(), event.availableAt(), event.action(),
                event.insertedNanos() - TimeUnit.HOURS.toNanos(1));
    }

    /** Changes what is handed over, and notes which events become PENDING again. */
    private void between(UnaryOperator<List<Handover.Committed>> change) {
        JdbcTemplate jdbc = new JdbcTemplate(fresh.dataSource());
        jdbc.execute("CREATE TABLE claims_given_up (id UUID)");
        jdbc.execute("""
                CREATE FUNCTION note_given_up() RETURNS trigger AS $$
                BEGIN
                    INSERT INTO claims_given_up VALUES (NEW.id);
                    RETURN NEW;
                END
                $$ LANGUAGE plpgsql""");
        jdbc.execute("CREATE TRIGGER given_up AFTER UPDATE ON eventlog.events FOR EACH ROW WHEN"
                + " (OLD.status = 'PROCESSING' AND NEW.status = 'PENDING') EXECUTE FUNCTION note_given_up()");
        Handover real = node.shard.signals().handover();
        node.shard.signals().handOverTo(new Handover() {
            @Override
            public Offer offerFor(String eventType) {
                return real.offerFor(eventType);
            }

            @Override
            public void withdraw() {
                real.withdraw();
            }

            @Override
            public void committed(List<Committed> events) {
                real.committed(change.apply(events));
            }
        });
    }

    @Test
    void isGivenUpIfTheNodeStopsBeforeTheCommit() {
        transaction.executeWithoutResult(status -> {
            node.queue.publish(new Placed(1));
            node.close();
        });
        await().until(() -> count(node, "SELECT count(*) FROM {events} WHERE status = 'PENDING'") == 1);
        assertThat(seen).isEmpty();
        assertThat(statusOf(node.queue.publish(new Placed(2)))).as("after the stop").isEqualTo("PENDING");
    }

    @Test
    void isTakenOverIfTheNodeDiesAfterTheCommit() {
        between(committed -> List.of());
        UUID event = node.queue.publish(new Placed(1));
        assertThat(statusOf(event)).isEqualTo("PROCESSING");
        node.close();
        clock.advance(Duration.ofMinutes(2));
        Node heir = node(recording("h"));
        heir.drain();
        assertThat(seen).containsExactly("h1");
        assertThat(heir.abandoned).hasValue(1);
    }

    @Test
    void isNotOfferedToAPausedHandler() {
        new SubscriptionControl(node.database).pause("h");
        assertThat(offers()).isFalse();
        UUID event = node.queue.publish(new Placed(1));
        await().until(() -> statusOf(event).equals("DELIVERED"));
        assertThat(seen).isEmpty();
        new SubscriptionControl(node.database).resume("h");
        awaitLogged(1);
        awaitOffer();
    }

    @Test
    void isNotOfferedForWhatWaitsOrIsPulledOrMayExist() {
        PublishOptions none = PublishOptions.none();
        List<PublishOptions> others = List.of(none.delay(Duration.ofHours(1)), none.tags("red"),
                none.id(UUID.randomUUID()));
        transaction.executeWithoutResult(status -> assertThat(others).allSatisfy(
                options -> assertThat(statusOf(node.queue.publish(new Placed(1), options))).isEqualTo("PENDING")));
        await().until(() -> seen.size() == 2);
    }

    @Test
    void isForFewEventsAtATime() {
        List<Placed> many = IntStream.range(0, 11).mapToObj(Placed::new).toList();
        transaction.executeWithoutResult(status -> {
            assertThat(node.queue.publishAll(many.subList(0, 10))).extracting(this::statusOf)
                .containsOnly("PROCESSING");
            assertThat(node.queue.publishAll(many)).extracting(this::statusOf).containsOnly("PENDING");
        });
        awaitLogged(21);
        assertThat(seen).hasSize(21);
    }

    @Test
    void showsTheHandlerNothingOfThePublishersThread() throws Exception {
        node.close();
        InheritableThreadLocal<String> ofThePublisher = new InheritableThreadLocal<>();
        AtomicReference<ClassLoader> loader = new AtomicReference<>();
        EventHandlerRegistry handlers = handlers().withHandler(Placed.class, "h", event -> {
            seen.add("inherited " + ofThePublisher.get());
            loader.set(Thread.currentThread().getContextClassLoader());
            return HandlerResult.success();
        }).build();
        ClassLoader ofTheNode = new ClassLoader(getClass().getClassLoader()) {
        };
        onThread(ofTheNode, () -> use(started(handlers, settings -> settings)));
        onThread(new ClassLoader() {
        }, () -> {
            ofThePublisher.set("secret");
            node.queue.publish(new Placed(1));
        });
        awaitLogged(1);
        assertThat(seen).containsExactly("inherited null");
        assertThat(loader).hasValue(ofTheNode);
    }

    private static void onThread(ClassLoader loader, Runnable work) throws InterruptedException {
        Thread thread = Thread.ofPlatform().unstarted(work);
        thread.setContextClassLoader(loader);
        thread.start();
        thread.join();
    }

}
