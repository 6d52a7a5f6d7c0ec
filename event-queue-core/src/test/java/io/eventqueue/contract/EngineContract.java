package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.eventqueue.AmbiguousShardException;
import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHandlerRegistry.Builder;
import io.eventqueue.EventSerializationException;
import io.eventqueue.EventStatus;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerResult;
import io.eventqueue.Notification;
import io.eventqueue.NotificationState;
import io.eventqueue.InvalidEventException;
import io.eventqueue.PayloadTooLargeException;
import io.eventqueue.PublishOptions;
import io.eventqueue.QueuedEvent;
import io.eventqueue.RetryPolicy;
import io.eventqueue.Shard;
import io.eventqueue.TransactionRequiredException;
import io.eventqueue.UnrecoverableEventException;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.outbox.TransactionalActionExecutor;
import io.eventqueue.outbox.TransactionalEventQueue;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.StatementRecorder;
import io.eventqueue.testsupport.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.IsolationLevelDataSourceAdapter;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What the engine promises, on whatever database the subclass names. */
abstract class EngineContract extends DatabaseContract {

    record Placed(int number) {
    }

    record Shipped(int number) {
    }

    record Selfish(Object self) {
    }

    private final List<Integer> seen = new CopyOnWriteArrayList<>();

    EngineContract(TestDatabase kind) {
        super(kind);
    }

    private Builder recording(String... names) {
        Builder builder = handlers();
        for (String name : names) {
            builder.withHandler(Placed.class, name, event -> {
                seen.add(event.number());
                return HandlerResult.success();
            });
        }
        return builder;
    }

    private static HandlerDefinition.Builder placed(String name, HandlerDefinition.Invocation invocation) {
        return HandlerDefinition.builder(name, Placed.class, invocation);
    }

    // ---- publish

    @Test
    void eventExistsIfAndOnlyIfTheTransactionCommitted() {
        Node node = node(recording("a"));
        TransactionTemplate transaction = new TransactionTemplate(node.shard.transactionManager());
        transaction.executeWithoutResult(status -> {
            node.queue.publish(new Placed(1));
            status.setRollbackOnly();
        });
        transaction.executeWithoutResult(status -> node.queue.publish(new Placed(2)));
        node.drain();
        assertThat(seen).containsExactly(2);
        assertThat(count(node, "SELECT count(*) FROM {event_log}")).isEqualTo(1);
    }

    @Test
    void publishingAnIdAgainChangesNothingAlsoAfterItWasFinalized() {
        Node node = node(recording("a"));
        PublishOptions sameId = PublishOptions.none().id(UUID.randomUUID()).tags("x");
        node.queue.publish(new Placed(1), sameId);
        node.queue.publish(new Placed(2), sameId);
        node.drain();
        node.queue.publish(new Placed(3), sameId);
        node.drain();
        assertThat(seen).containsExactly(1);
        assertThat(count(node, "SELECT count(*) FROM {events}")).isZero();
        assertThat(count(node, "SELECT count(*) FROM {event_tags}")).isEqualTo(1);
    }

    @Test
    void anIdPublishedAgainLeavesTheCallersTransactionUsable() {
        Node node = node(recording("a"));
        UUID id = node.queue.publish(new Placed(1), PublishOptions.none().id(UUID.randomUUID()));
        new TransactionTemplate(node.shard.transactionManager()).executeWithoutResult(status -> {
            node.queue.publish(new Placed(1), PublishOptions.none().id(id));
            node.queue.publish(new Placed(2));
        });
        node.drain();
        assertThat(seen).containsExactlyInAnyOrder(1, 2);
    }

    @Test
    void refusesWhatCannotBeStoredBeforeAnythingIsWritten() {
        Node node = node(recording("a"));
        Selfish selfish = new Selfish(new Object() {
            @SuppressWarnings("unused")
            public Object getBroken() {
                throw new IllegalStateException("no");
            }
        });
        assertThatThrownBy(() -> node.queue.publish(selfish)).isInstanceOf(EventSerializationException.class)
            .hasMessageContaining("Selfish");
        assertThatThrownBy(
                () -> node.queue.publish(Map.of("k", "x".repeat(1 << 20)), PublishOptions.none().type("Big")))
            .isInstanceOf(PayloadTooLargeException.class)
            .hasMessageContaining("max-payload-size");
        assertThatThrownBy(() -> node.queue.publish(new Placed(1), PublishOptions.none().type(" ")))
            .isInstanceOf(InvalidEventException.class)
            .hasMessageContaining("event type");
        assertThatThrownBy(() -> node.queue.publish(new Placed(1), PublishOptions.none().tags("a,b")))
            .isInstanceOf(InvalidEventException.class)
            .hasMessageContaining("comma");
        assertThatThrownBy(() -> node.queue.publishAll(List.of(new Placed(1), selfish)))
            .isInstanceOf(EventSerializationException.class);
        assertThat(count(node, "SELECT count(*) FROM {events}")).isZero();
    }

    @Test
    void refusesToPublishOutsideATransactionWhenToldTo() {
        Node node = node(recording("a"));
        TransactionalEventQueue strict = TransactionalEventQueue.eventQueue(node.database)
            .requireTransaction(true)
            .build();
        assertThatThrownBy(() -> strict.publish(new Placed(1))).isInstanceOf(TransactionRequiredException.class);
        new TransactionTemplate(node.shard.transactionManager())
            .executeWithoutResult(status -> strict.publish(new Placed(2)));
        assertThat(count(node, "SELECT count(*) FROM {events}")).isEqualTo(1);
    }

    @Test
    void keepsOptionsWithTheEvent() {
        Node node = node(handlers());
        UUID id = node.queue.publish(new Placed(7),
                PublishOptions.none()
                    .key("k")
                    .tags("red", "blue")
                    .header("tenant", "acme")
                    .title("t")
                    .description("d")
                    .model("Order", "o-7")
                    .delay(Duration.ofHours(1)));
        QueuedEvent event = node.queue.find(id).orElseThrow();
        assertThat(event.status()).isEqualTo(EventStatus.PENDING);
        assertThat(event.key()).isEqualTo("k");
        assertThat(event.tags()).containsExactly("red", "blue");
        assertThat(event.headers()).containsEntry("tenant", "acme");
        assertThat(event.title()).isEqualTo("t");
        assertThat(event.action().modelId()).isEqualTo("o-7");
        assertThat(event.payload()).contains("7");
        assertThat(event.availableAt()).isEqualTo(clock.instant().plus(Duration.ofHours(1)));
    }

    @Test
    void deliversADelayedEventWhenItIsDue() {
        Node node = node(recording("a"));
        node.queue.publish(new Placed(1), PublishOptions.none().delay(Duration.ofMinutes(5)));
        clock.advance(Duration.ofMinutes(4));
        node.drain();
        assertThat(seen).isEmpty();
        clock.advance(Duration.ofMinutes(1));
        node.drain();
        assertThat(seen).containsExactly(1);
    }

    @Test
    void eventsOfOneActionShareItsContextAndAnActionWithoutEventsLeavesASentinel() {
        List<EventEnvelope<?>> envelopes = new CopyOnWriteArrayList<>();
        Node node = node(handlers().withHandler(placed("a", envelope -> {
            envelopes.add(envelope);
            return HandlerResult.success();
        }).build()));
        TransactionalActionExecutor actions = new TransactionalActionExecutor(node.queue);
        actions.execute("place", Map.of("who", "me"), events -> {
            events.raise(new Placed(1));
            events.raise(new Placed(2));
            return "";
        });
        actions.execute("look", Map.of(), events -> "");
        node.drain();
        assertThat(envelopes).hasSize(2).allSatisfy(envelope -> {
            assertThat(envelope.action().actionName()).isEqualTo("place");
            assertThat(envelope.action().actionParams()).contains("me");
            assertThat(envelope.action().actionId()).isEqualTo(envelopes.getFirst().action().actionId());
        });
        assertThat(rows(node, "SELECT action_name, status FROM {events} WHERE event_type IS NULL")).singleElement()
            .satisfies(row -> assertThat(row.get("action_name")).isEqualTo("look"));
    }

    @Test
    void aBatchIsPublishedInOneRoundTrip() {
        StatementRecorder recorder = new StatementRecorder(fresh.dataSource());
        Node node = opened(new Node(recorder, clock, handlers().build()));
        node.queue.publish(new Placed(0));
        int forOne = recorder.drain().size();
        node.queue.publishAll(IntStream.range(0, 1000).mapToObj(Placed::new).toList());
        assertThat(recorder.drain()).as("statements for 1000 events").hasSize(forOne);
        assertThat(count(node, "SELECT count(*) FROM {events}")).isEqualTo(1001);
    }

    // ---- fan-out

    @Test
    void everyHandlerGetsTheEventAndARepeatedFanoutIsANoOp() {
        Node node = node(recording("a", "b", "c"));
        node.queue.publish(new Placed(1));
        assertThat(node.fanout.drainOneRound()).isEqualTo(1);
        node.database.update("UPDATE {events} SET status = 'PENDING'", Map.of());
        node.fanout.drainOneRound();
        assertThat(count(node, "SELECT count(*) FROM {event_notifications}")).isEqualTo(3);
    }

    @Test
    void anEventWithoutSubscriberWaitsForAHandlerDeployedLater() {
        Node first = node(handlers());
        first.queue.publish(new Placed(1));
        first.drain();
        assertThat(count(first, "SELECT count(*) FROM {events} WHERE status = 'PENDING'")).isEqualTo(1);
        node(recording("late")).drain();
        assertThat(seen).containsExactly(1);
    }

    @Test
    void anOldNodeFansOutToAHandlerThatOnlyNewNodesHave() {
        Node oldNode = node(recording("a"));
        Node newNode = node(recording("a", "b"));
        newNode.fanout.drainOneRound();
        oldNode.queue.publish(new Placed(1));
        oldNode.fanout.drainOneRound();
        oldNode.handling.drainOneRound();
        assertThat(states(oldNode)).containsExactly("SUCCEEDED", "PENDING");
        newNode.handling.drainOneRound();
        assertThat(states(oldNode)).containsExactly("SUCCEEDED", "SUCCEEDED");
    }

    @Test
    void aRenamedHandlerTakesOldRowsByItsAliasAndNoEventTwice() {
        Node before = node(recording("old"));
        before.queue.publish(new Placed(1));
        before.fanout.drainOneRound();
        Node after = node(handlers().withHandler(placed("new", envelope -> {
            seen.add(((Placed) envelope.event()).number());
            return HandlerResult.success();
        }).aliases(List.of("old")).build()));
        after.fanout.drainOneRound();
        before.queue.publish(new Placed(2));
        before.fanout.drainOneRound();
        after.drain();
        assertThat(seen).containsExactlyInAnyOrder(1, 2);
        assertThat(rows(after, "SELECT handler_name FROM {event_notifications} ORDER BY created_date, handler_name"))
            .extracting(row -> row.get("handler_name"))
            .containsExactlyInAnyOrder("old", "new");
    }

    @Test
    void afterARollbackTheOldNameGetsItsSubscriptionBack() {
        Builder renamed = handlers().withHandler(placed("new", envelope -> {
            seen.add(((Placed) envelope.event()).number());
            return HandlerResult.success();
        }).aliases(List.of("old")).build());
        node(recording("old")).fanout.drainOneRound();
        node(renamed).fanout.drainOneRound();
        clock.advance(Duration.ofMinutes(10));
        Node rolledBack = node(recording("old"));
        rolledBack.queue.publish(new Placed(1));
        rolledBack.drain();
        assertThat(seen).containsExactly(1);
        assertThat(rolledBack.queue.publish(new Placed(2))).isNotNull();
        Node again = node(renamed);
        again.drain();
        assertThat(seen).containsExactly(1, 2);
    }

    // ---- handling

    @Test
    void retriesWithCappedExponentialBackoff() {
        AtomicInteger calls = new AtomicInteger();
        Node node = node(handlers().withHandler(Placed.class, "flaky", event -> {
            calls.incrementAndGet();
            throw new IllegalStateException("boom " + calls.get());
        }));
        node.queue.publish(new Placed(1));
        int expected = 0;
        for (int seconds : new int[] { 0, 30, 60, 120, 240, 300, 300 }) {
            clock.advance(Duration.ofSeconds(seconds).minusMillis(seconds == 0 ? 0 : 1));
            if (seconds > 0) {
                node.drain();
                assertThat(calls).as("before the backoff of %s s is over", seconds).hasValue(expected);
                clock.advance(Duration.ofMillis(1));
            }
            node.drain();
            assertThat(calls).hasValue(++expected);
        }
        assertThat(rows(node, "SELECT * FROM {event_notifications}")).singleElement().satisfies(row -> {
            assertThat(row.get("state")).isEqualTo("FAILED");
            assertThat(row.get("attempts")).isEqualTo("7");
            assertThat((String) row.get("last_error")).contains("boom 7");
        });
        assertThat(rows(node, "SELECT * FROM {event_attempts} ORDER BY id")).hasSize(7).first().satisfies(row -> {
            assertThat(row.get("error_class")).isEqualTo(IllegalStateException.class.getName());
            assertThat((String) row.get("error_stack")).contains("EngineContract");
            assertThat(row.get("worker_id")).isEqualTo(node.handling.node());
        });
    }

    @Test
    void endsDeadOnAnUnrecoverableErrorOrWhenAttemptsAreUsedUp() {
        Node node = node(handlers().withHandler(Placed.class, "fatal", event -> {
            throw new UnrecoverableEventException("never");
        })
            .withHandler(Placed.class, "refusing", event -> HandlerResult.unrecoverableError("no"))
            .withHandler(placed("twice", envelope -> HandlerResult.transientError("again", Duration.ofSeconds(1)))
                .retryPolicy(RetryPolicy.inherited().withMaxAttempts(2))
                .build()));
        UUID id = node.queue.publish(new Placed(1));
        node.drain();
        assertThat(states(node)).containsExactly("DEAD", "DEAD", "FAILED");
        clock.advance(Duration.ofSeconds(1));
        node.drain();
        assertThat(states(node)).containsExactly("DEAD", "DEAD", "DEAD");
        QueuedEvent logged = node.queue.find(id).orElseThrow();
        assertThat(logged.status()).isEqualTo(EventStatus.COMPLETED_WITH_ERRORS);
        assertThat(logged.errors()).contains("fatal").contains("never").contains("twice");
        assertThat(logged.attempts()).isEqualTo(4);
    }

    @Test
    void tellsHowFarEachHandlerGotAlsoAfterTheEventWasFinalized() {
        Node node = node(recording("a").withHandler(placed("b", envelope -> HandlerResult.transientError("busy"))
            .retryPolicy(RetryPolicy.inherited().withMaxAttempts(2))
            .build()));
        UUID id = node.queue.publish(new Placed(1));
        assertThat(node.queue.notifications(id)).isEmpty();
        node.drain();
        assertThat(node.queue.notifications(id))
            .extracting(Notification::handler, Notification::state, Notification::attempts, Notification::nextAttemptAt)
            .containsExactly(tuple("a", NotificationState.SUCCEEDED, 1, null),
                    tuple("b", NotificationState.FAILED, 1, clock.instant().plusSeconds(30)));
        clock.advance(Duration.ofSeconds(30));
        node.drain();
        assertThat(node.queue.find(id)).get()
            .extracting(QueuedEvent::status)
            .isEqualTo(EventStatus.COMPLETED_WITH_ERRORS);
        assertThat(node.queue.notifications(id).getLast()).satisfies(dead -> {
            assertThat(dead.state()).isEqualTo(NotificationState.DEAD);
            assertThat(dead.lastError()).contains("busy");
            assertThat(dead.nextAttemptAt()).isNull();
            assertThat(dead.owner()).isNull();
        });
    }

    @Test
    void anErrorFailsOnlyItsOwnNotification() {
        Node node = node(recording("fine").withHandler(Placed.class, "overflow", event -> {
            throw new StackOverflowError();
        }).withHandler(Placed.class, "memory", event -> {
            throw new OutOfMemoryError("pretended");
        }).withHandler(Placed.class, "interrupted", event -> {
            throw new InterruptedException("pretended");
        }));
        node.queue.publish(new Placed(1));
        node.drain();
        assertThat(states(node)).containsExactly("SUCCEEDED", "FAILED", "FAILED", "FAILED");
    }

    @Test
    void aPayloadThatDoesNotDeserializeFailsThatNotificationOnly() {
        Node node = node(recording("a"));
        node.queue.publish(Map.of("number", "not a number"), PublishOptions.none().type("Placed"));
        node.queue.publish(new Placed(2));
        node.drain();
        assertThat(seen).containsExactly(2);
        assertThat(rows(node, "SELECT last_error FROM {event_notifications} WHERE state = 'FAILED'")).singleElement()
            .satisfies(row -> assertThat((String) row.get("last_error")).contains("number"));
    }

    @Test
    void aTimedOutHandlerIsInterruptedAndTriedAgain() {
        CountDownLatch interrupted = new CountDownLatch(1);
        Node node = node(handlers().withHandler(placed("slow", envelope -> {
            try {
                new CountDownLatch(1).await();
            }
            catch (InterruptedException e) {
                interrupted.countDown();
            }
            return HandlerResult.success();
        }).timeout(Duration.ofMillis(50)).build()));
        node.queue.publish(new Placed(1));
        node.drain();
        await().until(() -> interrupted.getCount() == 0);
        assertThat(rows(node, "SELECT state, last_error FROM {event_notifications}")).singleElement().satisfies(row -> {
            assertThat(row.get("state")).isEqualTo("FAILED");
            assertThat((String) row.get("last_error")).contains("timeout");
        });
    }

    @Test
    void expiresBeforeTheCallWithAttemptsUnchanged() {
        Node node = node(recording("a"));
        UUID id = node.queue.publish(new Placed(1));
        node.fanout.drainOneRound();
        clock.advance(Duration.ofDays(7).plusSeconds(1));
        node.handling.drainOneRound();
        assertThat(seen).isEmpty();
        assertThat(rows(node, "SELECT state, attempts FROM {event_notifications}")).singleElement().satisfies(row -> {
            assertThat(row.get("state")).isEqualTo("EXPIRED");
            assertThat(row.get("attempts")).isEqualTo("0");
        });
        assertThat(node.queue.find(id).orElseThrow().status()).isEqualTo(EventStatus.COMPLETED_WITH_ERRORS);
    }

    @Test
    void expiresInsteadOfBeingClaimedByFanOut() {
        Node node = node(recording("a", "b"));
        node.queue.publish(new Placed(1));
        clock.advance(Duration.ofDays(7).plusSeconds(1));
        node.start();
        await().atMost(Duration.ofSeconds(30))
            .untilAsserted(() -> assertThat(column(node,
                    "SELECT handler_name FROM {event_notifications} WHERE state = 'EXPIRED' AND attempts = 0"))
                .hasSize(2));
        assertThat(seen).isEmpty();
    }

    @Test
    void expiresAfterAFailureThatEndedPastTheWindow() {
        Node node = node(handlers().withHandler(Placed.class, "slow", event -> {
            clock.advance(Duration.ofDays(8));
            throw new IllegalStateException("too late");
        }));
        node.queue.publish(new Placed(1));
        node.drain();
        assertThat(rows(node, "SELECT state, attempts FROM {event_notifications}")).singleElement().satisfies(row -> {
            assertThat(row.get("state")).isEqualTo("EXPIRED");
            assertThat(row.get("attempts")).isEqualTo("1");
        });
    }

    @Test
    void rowsOfAnUnknownHandlerAreLeftUntilTheyExpire() {
        Node knowing = node(recording("known", "unknown"));
        Node other = node(recording("known"));
        knowing.queue.publish(new Placed(1));
        knowing.fanout.drainOneRound();
        other.handling.drainOneRound();
        assertThat(states(other)).containsExactly("SUCCEEDED", "PENDING");
        clock.advance(Duration.ofDays(8));
        other.handling.drainOneRound();
        assertThat(states(other)).containsExactly("SUCCEEDED", "EXPIRED");
        assertThat(count(other, "SELECT count(*) FROM {event_log}")).isEqualTo(1);
    }

    @Test
    void aRetiredHandlersDeliveriesExpireAtOnceAndItGetsNoMore() {
        Node before = node(recording("kept", "gone"));
        before.queue.publish(new Placed(1));
        before.fanout.drainOneRound();
        Node after = opened(new Node(fresh.dataSource(), clock, recording("kept").build(),
                builder -> builder.retiredHandlers(Set.of("gone"))));
        after.handling.drainOneRound();
        assertThat(rows(after, "SELECT state, last_error FROM {event_notifications} WHERE handler_name = 'gone'"))
            .containsExactly(Map.of("state", "EXPIRED", "last_error", "its handler was retired"));
        assertThat(count(after, "SELECT count(*) FROM {event_log}")).isEqualTo(1);

        before.queue.publish(new Placed(2));
        before.fanout.drainOneRound();
        assertThat(count(after, "SELECT count(*) FROM {event_notifications} WHERE handler_name = 'gone'"))
            .as("also a node that still has the handler does not fan out to it")
            .isEqualTo(1);

        Node rolledBack = node(recording("kept", "gone"));
        rolledBack.queue.publish(new Placed(3));
        rolledBack.drain();
        assertThat(count(after,
                "SELECT count(*) FROM {event_notifications} WHERE handler_name = 'gone' AND state = 'SUCCEEDED'"))
            .as("a node that starts with the handler brings it back")
            .isEqualTo(1);
    }

    @Test
    void anEventLivesOnTheShardWhoseTransactionPublishedIt() {
        FreshDatabase second = kind.create(5);
        open.addFirst(second);
        SchemaMigration.migrate(second.dataSource());
        Node one = node(recording("a"));
        Shard other = Shard.of("other", second.dataSource());
        TransactionalEventQueue queue = TransactionalEventQueue.eventQueue(one.database, Database.of(other, clock))
            .build();
        TransactionTemplate onOther = new TransactionTemplate(other.transactionManager());
        TransactionTemplate onMain = new TransactionTemplate(one.shard.transactionManager());

        UUID id = onOther.execute(status -> queue.publish(new Placed(1)));
        assertThat(one.queue.find(id)).isEmpty();
        assertThat(queue.find(id)).isPresent();
        assertThatThrownBy(() -> queue.publish(new Placed(2))).isInstanceOf(AmbiguousShardException.class)
            .hasMessageContaining("several (main, other)");
        assertThatThrownBy(() -> onMain
            .executeWithoutResult(main -> onOther.executeWithoutResult(status -> queue.publish(new Placed(3)))))
            .isInstanceOf(AmbiguousShardException.class)
            .hasMessageContaining("includes several shards (main, other)");
    }

    @Test
    void aStaleOwnersOutcomeChangesNothingAndIsCounted() throws Exception {
        Standstill standstill = new Standstill();
        Node stale = node(handlers().withHandler(Placed.class, "a", event -> {
            standstill.here();
            return HandlerResult.unrecoverableError("the stale node's opinion");
        }));
        stale.queue.publish(new Placed(1));
        stale.fanout.drainOneRound();
        standstill.bring(stale.handling);
        Node heir = node(recording("a"));
        heir.drain();
        assertThat(seen).as("while the lease lasts").isEmpty();
        clock.advance(Duration.ofSeconds(61));
        heir.drain();
        assertThat(seen).containsExactly(1);
        assertThat(heir.abandoned).hasValue(1);
        standstill.end();
        assertThat(stale.fenced).hasValue(1);
        assertThat(rows(heir, "SELECT state, attempts FROM {event_notifications}")).singleElement().satisfies(row -> {
            assertThat(row.get("state")).isEqualTo("SUCCEEDED");
            assertThat(row.get("attempts")).isEqualTo("2");
        });
        assertThat(count(heir, "SELECT count(*) FROM {event_attempts}")).as("the audit is fenced too").isZero();
    }

    @Test
    void aStaleOwnersSuccessChangesNothingEither() throws Exception {
        Standstill standstill = new Standstill();
        Node stale = node(handlers().withHandler(Placed.class, "a", event -> {
            standstill.here();
            return HandlerResult.success();
        }));
        stale.queue.publish(new Placed(1));
        stale.fanout.drainOneRound();
        standstill.bring(stale.handling);
        clock.advance(Duration.ofSeconds(61));
        Node heir = node(handlers().withHandler(Placed.class, "a", event -> HandlerResult.unrecoverableError("no")));
        heir.drain();
        standstill.end();
        assertThat(stale.fenced).hasValue(1);
        assertThat(states(heir)).containsExactly("DEAD");
        assertThat(column(heir, "SELECT status FROM {event_log}")).containsExactly("COMPLETED_WITH_ERRORS");
    }

    @Test
    void effectivelyOnceHandlerCommitsWithItsSuccessAndIsFencedByRollback() throws Exception {
        Node[] nodes = new Node[1];
        Standstill standstill = new Standstill();
        Builder registry = handlers().withHandler(placed("once", envelope -> {
            nodes[0].queue.publish(new Shipped(1));
            if (envelope.attempt() == 1) {
                standstill.here();
            }
            return HandlerResult.success();
        }).idempotent(false).transactional(true).build());
        Node stale = node(registry);
        nodes[0] = stale;
        stale.queue.publish(new Placed(1));
        stale.fanout.drainOneRound();
        standstill.bring(stale.handling);
        if (kind == TestDatabase.POSTGRESQL) {
            // Elsewhere the heir would wait for the stale node's uncommitted consumed
            // mark.
            clock.advance(Duration.ofSeconds(61));
            stale.database.update("UPDATE {event_notifications} SET owner = 'somebody-else'", Map.of());
        }
        standstill.end();
        boolean fencedOut = kind == TestDatabase.POSTGRESQL;
        assertThat(count(stale, "SELECT count(*) FROM {events} WHERE event_type = 'Shipped'"))
            .isEqualTo(fencedOut ? 0 : 1);
        assertThat(count(stale, "SELECT count(*) FROM {consumed_events}")).isEqualTo(fencedOut ? 0 : 1);
        assertThat(stale.fenced).hasValue(fencedOut ? 1 : 0);
    }

    /**
     * Its snapshot is older than what the other handler did; whoever ends last must
     * finalize.
     */
    @Test
    void aTransactionalHandlerFinalizesAlsoWhenItsSnapshotIsOld() throws Exception {
        IsolationLevelDataSourceAdapter repeatableRead = new IsolationLevelDataSourceAdapter();
        repeatableRead.setTargetDataSource(fresh.dataSource());
        repeatableRead.setIsolationLevelName("ISOLATION_REPEATABLE_READ");
        Standstill standstill = new Standstill();
        Node[] self = new Node[1];
        Node slow = opened(new Node(repeatableRead, clock, handlers().withHandler(placed("transactional", envelope -> {
            assertThat(count(self[0], "SELECT count(*) FROM {event_notifications} WHERE state <> 'SUCCEEDED'"))
                .isEqualTo(envelope.attempt() == 1 ? 2 : 1);
            standstill.here();
            return HandlerResult.success();
        }).transactional(true).build()).build()));
        self[0] = slow;
        Node fast = node(recording("plain"));
        slow.fanout.drainOneRound();
        fast.fanout.drainOneRound();
        slow.queue.publish(new Placed(1));
        slow.fanout.drainOneRound();
        standstill.bring(slow.handling);
        fast.drain();
        standstill.end();
        // A snapshot that cannot be brought up to date costs a retry.
        clock.advance(Duration.ofMinutes(1));
        slow.drain();
        assertThat(states(slow)).containsExactly("SUCCEEDED", "SUCCEEDED");
        assertThat(count(slow, "SELECT count(*) FROM {event_log}")).isEqualTo(1);
    }

    @Test
    void aSlowHandlerKeepsItsLeaseAndDelaysNoOther() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger slowCalls = new AtomicInteger();
        AtomicInteger fastCalls = new AtomicInteger();
        Builder registry = handlers().withHandler(Placed.class, "slow", event -> {
            slowCalls.incrementAndGet();
            release.await();
            return HandlerResult.success();
        }).withHandler(Shipped.class, "fast", event -> {
            fastCalls.incrementAndGet();
            return HandlerResult.success();
        });
        Duration lease = Duration.ofSeconds(1);
        Node one = opened(
                new Node(fresh.dataSource(), clock, registry.build(), b -> b.abandonmentTimeout(lease).concurrency(4)))
            .start();
        opened(new Node(fresh.dataSource(), clock, registry.build(), b -> b.abandonmentTimeout(lease).concurrency(4)))
            .start();
        open.add(release::countDown);
        one.queue.publish(new Placed(0));
        await().until(() -> slowCalls.get() == 1);
        one.queue.publishAll(IntStream.range(0, 1000).mapToObj(Shipped::new).toList());
        await().until(() -> count(one, "SELECT count(*) FROM {event_log}") == 1000);
        await().until(() -> !leaseOfSlow(one).isEmpty());
        // Two leases pass, never more at a time than what is left of the renewed one.
        for (int i = 0; i < 4; i++) {
            String renewed = leaseOfSlow(one);
            clock.advance(lease.dividedBy(2));
            await().until(() -> leaseOfSlow(one).compareTo(renewed) > 0);
        }
        assertThat(slowCalls).as("its lease was renewed, so nobody took it over").hasValue(1);
        release.countDown();
        await().until(() -> count(one, "SELECT count(*) FROM {event_log}") == 1001);
        assertThat(fastCalls).hasValue(1000);
        assertThat(slowCalls).hasValue(1);
    }

    private static String leaseOfSlow(Node node) {
        return column(node, "SELECT lease_until FROM {event_notifications} WHERE handler_name = 'slow'").stream()
            .findFirst()
            .map(String::valueOf)
            .orElse("");
    }

    /** What was claimed together need not end together. */
    @Test
    void noRoundIsABarrier() {
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger fastCalls = new AtomicInteger();
        Node node = opened(new Node(fresh.dataSource(), null, handlers().withHandler(Placed.class, "slow", event -> {
            release.await();
            return HandlerResult.success();
        }).withHandler(Shipped.class, "fast", event -> {
            fastCalls.incrementAndGet();
            return HandlerResult.success();
        }).build(), b -> b.batchSize(10).concurrency(4)));
        open.add(release::countDown);
        node.queue.publish(new Placed(0));
        node.queue.publishAll(IntStream.range(0, 100).mapToObj(Shipped::new).toList());
        while (node.fanout.drainOneRound() > 0) {
            // so that only the claims of the handling job remain
        }
        node.handling.start();
        await().until(() -> fastCalls.get() == 100);
        await().until(() -> count(node, "SELECT count(*) FROM {event_log}") == 100);
    }

    @Test
    void noTransactionAndNoLockIsHeldWhileAHandlerRuns() {
        List<Boolean> inTransaction = new CopyOnWriteArrayList<>();
        List<Integer> lockable = new CopyOnWriteArrayList<>();
        Node[] self = new Node[1];
        Node node = node(handlers().withHandler(Placed.class, "a", event -> {
            inTransaction.add(TransactionSynchronizationManager.isActualTransactionActive());
            self[0].database.inOwnTransaction(() -> lockable.add(self[0].database
                .query("SELECT id FROM {event_notifications} FOR UPDATE SKIP LOCKED", Map.of(), (rs, row) -> row)
                .size()
                    + self[0].database
                        .query("SELECT id FROM {events} FOR UPDATE SKIP LOCKED", Map.of(), (rs, row) -> row)
                        .size()));
            return HandlerResult.success();
        }));
        self[0] = node;
        node.queue.publish(new Placed(1));
        node.drain();
        assertThat(inTransaction).containsExactly(false);
        assertThat(lockable).containsExactly(2);
    }

    @Test
    void aHandlersOwnConcurrencyLimitsItAndNobodyElse() throws Exception {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger others = new AtomicInteger();
        Node node = opened(new Node(fresh.dataSource(), null, handlers().withHandler(placed("two", envelope -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            release.await();
            running.decrementAndGet();
            return HandlerResult.success();
        }).concurrency(2).build()).withHandler(Placed.class, "other", event -> {
            others.incrementAndGet();
            return HandlerResult.success();
        }).build())).start();
        node.queue.publishAll(IntStream.range(0, 50).mapToObj(Placed::new).toList());
        await().until(() -> others.get() == 50 && running.get() == 2);
        release.countDown();
        await().until(() -> count(node, "SELECT count(*) FROM {event_log}") == 50);
        assertThat(most).hasValue(2);
    }

    @Test
    void aNodeClaimsNoMoreThanItMayRun() {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        CountDownLatch release = new CountDownLatch(1);
        Builder registry = handlers();
        for (String name : List.of("a", "b")) {
            registry.withHandler(Placed.class, name, event -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                release.await();
                running.decrementAndGet();
                return HandlerResult.success();
            });
        }
        Node node = opened(new Node(fresh.dataSource(), null, registry.build(), b -> b.batchSize(50).concurrency(4)))
            .start();
        open.add(release::countDown);
        node.queue.publishAll(IntStream.range(0, 50).mapToObj(Placed::new).toList());
        await().until(() -> running.get() >= 4);
        await().until(() -> count(node, "SELECT count(*) FROM {events} WHERE status = 'DELIVERED'") == 50);
        assertThat(count(node, "SELECT count(*) FROM {event_notifications} WHERE owner IS NOT NULL")).isEqualTo(4);
        release.countDown();
        await().until(() -> count(node, "SELECT count(*) FROM {event_log}") == 50);
        assertThat(most).hasValue(4);
    }

    /** Otherwise its memory would fill with outcomes that it cannot write. */
    @Test
    void aNodeThatCannotRecordOutcomesRunsNoMoreHandlers() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Node node = opened(new Node(fresh.dataSource(), null, handlers().withHandler(Placed.class, "a", event -> {
            calls.incrementAndGet();
            return HandlerResult.success();
        }).build(), b -> b.batchSize(10).concurrency(4)));
        AtomicInteger elsewhere = new AtomicInteger();
        Node other = opened(new Node(fresh.dataSource(), null, handlers().withHandler(Shipped.class, "b", event -> {
            elsewhere.incrementAndGet();
            return HandlerResult.success();
        }).build()));
        try (Connection holder = fresh.dataSource().getConnection();
                PreparedStatement counter = holder
                    .prepareStatement(node.database.sql("SELECT position FROM {event_log_counter} FOR UPDATE"))) {
            holder.setAutoCommit(false);
            assertThat(counter.executeQuery().next()).as("whoever finalizes has to wait").isTrue();
            node.start();
            node.queue.publishAll(IntStream.range(0, 200).mapToObj(Placed::new).toList());
            await().until(() -> calls.get() == 14);
            other.start();
            other.queue.publishAll(IntStream.range(0, 20).mapToObj(Shipped::new).toList());
            await().until(() -> elsewhere.get() == 20);
            assertThat(calls).as("running, and one batch more").hasValue(14);
            holder.rollback();
        }
        await().until(() -> count(node, "SELECT count(*) FROM {event_log}") == 220);
        assertThat(calls).hasValue(200);
    }

    @Test
    void stopHandsUnfinishedClaimsBackAtOnce() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        Node stopping = opened(new Node(fresh.dataSource(), null, handlers().withHandler(Placed.class, "a", event -> {
            entered.countDown();
            new CountDownLatch(1).await();
            return HandlerResult.success();
        }).build(), b -> b.shutdownTimeout(Duration.ofMillis(100)))).start();
        stopping.queue.publish(new Placed(1));
        assertThat(entered.await(1, TimeUnit.MINUTES)).isTrue();
        stopping.close();
        assertThat(rows(stopping, "SELECT state, owner, attempts FROM {event_notifications}")).singleElement()
            .satisfies(row -> {
                assertThat(row.get("state")).isEqualTo("PENDING");
                assertThat(row.get("owner")).isNull();
            });
        opened(new Node(fresh.dataSource(), null, recording("a").build())).drain();
        assertThat(seen).containsExactly(1);
    }

    /** Such a handler keeps its thread, but not its claim. */
    @Test
    void stopHandsBackAlsoWhatIgnoresInterruption() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Node stopping = opened(new Node(fresh.dataSource(), clock, handlers().withHandler(Placed.class, "a", event -> {
            entered.countDown();
            awaitDeaf(release, () -> {
            });
            return event.number() == 1 ? HandlerResult.unrecoverableError("too late") : HandlerResult.success();
        }).build(), b -> b.shutdownTimeout(Duration.ofMillis(100)))).start();
        open.add(release::countDown);
        stopping.queue.publish(new Placed(1));
        assertThat(entered.await(1, TimeUnit.MINUTES)).isTrue();
        stopping.close();
        node(recording("a")).drain();
        assertThat(seen).as("taken over although no time has passed").containsExactly(1);

        release.countDown();
        await().until(() -> stopping.handling.inFlight() == 0);
        stopping.start();
        stopping.queue.publish(new Placed(2));
        await().until(() -> count(stopping, "SELECT count(*) FROM {event_log}") == 2);
        assertThat(states(stopping)).as("nor does its late result count").containsExactly("SUCCEEDED", "SUCCEEDED");
        assertThat(count(stopping, "SELECT count(*) FROM {event_attempts}")).isZero();
    }

    @Test
    void racingNodesFinalizeEveryEventOnceAndPositionsHaveNoGap() throws Exception {
        Node publisher = node(recording("a", "b"));
        publisher.queue.publishAll(IntStream.range(0, 200).mapToObj(Placed::new).toList());
        while (publisher.fanout.drainOneRound() > 0) {
            // all of it
        }
        try (ExecutorService nodes = Executors.newFixedThreadPool(4)) {
            for (int i = 0; i < 4; i++) {
                String only = i % 2 == 0 ? "a" : "b";
                Node node = opened(new Node(fresh.dataSource(), clock, recording(only).build(), b -> b.batchSize(7)));
                nodes.submit(node::drain);
            }
        }
        assertThat(seen).hasSize(400);
        assertThat(count(publisher, "SELECT count(*) FROM {events}")).isZero();
        assertThat(count(publisher, "SELECT count(*) FROM {event_log}")).isEqualTo(200);
        assertThat(count(publisher, "SELECT max(position) FROM {event_log}")).isEqualTo(200);
    }

    @Test
    void aRowThatSomebodyHoldsHoldsUpNobody() throws Exception {
        Node node = node(recording("a"));
        UUID held = node.queue.publish(new Placed(1));
        node.queue.publish(new Placed(2));
        try (Connection holder = fresh.dataSource().getConnection()) {
            holder.setAutoCommit(false);
            hold(holder, node, "SELECT id FROM {events} WHERE id = ? FOR UPDATE", held);
            whileHeld(() -> node.fanout.drainOneRound());
            assertThat(count(node, "SELECT count(*) FROM {event_notifications}")).isEqualTo(1);
            holder.commit();
            node.fanout.drainOneRound();
            hold(holder, node, "SELECT id FROM {event_notifications} WHERE event_id = ? FOR UPDATE", held);
            whileHeld(() -> node.handling.drainOneRound());
            assertThat(seen).containsExactly(2);
            holder.commit();
        }
        node.drain();
        assertThat(seen).containsExactly(2, 1);
    }

    private static void hold(Connection holder, Node node, String sql, UUID id) throws SQLException {
        try (PreparedStatement statement = holder.prepareStatement(node.database.sql(sql))) {
            statement.setObject(1, node.database.dialect().id(id));
            assertThat(statement.executeQuery().next()).isTrue();
        }
    }

    private static void whileHeld(Runnable round) throws InterruptedException {
        Thread other = Thread.ofVirtual().start(round);
        assertThat(other.join(Duration.ofMinutes(1))).as("did not wait for the lock").isTrue();
    }

    @Test
    void nodesShareTheWorkAndRunNothingTwice() {
        Set<String> once = ConcurrentHashMap.newKeySet();
        AtomicInteger calls = new AtomicInteger();
        Builder registry = handlers();
        for (String name : List.of("a", "b", "c")) {
            registry.withHandler(Placed.class, name, event -> {
                calls.incrementAndGet();
                once.add(name + event.number());
                return HandlerResult.success();
            });
        }
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            nodes.add(opened(new Node(fresh.dataSource(), null, registry.build())).start());
        }
        int events = kind == TestDatabase.POSTGRESQL ? 10_000 : 1_000;
        for (int from = 0; from < events; from += 500) {
            nodes.get(from / 500 % 3).queue
                .publishAll(IntStream.range(from, from + 500).mapToObj(Placed::new).toList());
        }
        await().atMost(Duration.ofMinutes(3))
            .until(() -> count(nodes.getFirst(), "SELECT count(*) FROM {event_log}") == events);
        assertThat(once).hasSize(events * 3);
        assertThat(calls).hasValue(events * 3);
        assertThat(count(nodes.getFirst(), "SELECT sum(attempts) FROM {event_notifications}")).isEqualTo(events * 3L);
    }

    @Test
    void nothingIsMissingWhenHandlersFailAtRandomAndANodeStops() {
        Set<Integer> done = ConcurrentHashMap.newKeySet();
        Builder registry = handlers().withHandler(Placed.class, "flaky", event -> {
            if (java.util.concurrent.ThreadLocalRandom.current().nextInt(5) == 0) {
                return HandlerResult.transientError("bad luck", Duration.ofMillis(20));
            }
            done.add(event.number());
            return HandlerResult.success();
        });
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            nodes.add(opened(new Node(fresh.dataSource(), null, registry.build())).start());
        }
        nodes.getFirst().queue.publishAll(IntStream.range(0, 600).mapToObj(Placed::new).toList());
        await().until(() -> done.size() > 50);
        nodes.get(2).close();
        await()
            .until(() -> count(nodes.getFirst(), "SELECT count(*) FROM {event_log} WHERE status = 'COMPLETED'") == 600);
        assertThat(done).hasSize(600);
    }

    @Test
    void prunesFinishedRowsAfterTheirRetention() {
        Node node = node(
                recording("a").withHandler(Placed.class, "dead", event -> HandlerResult.unrecoverableError("x")));
        node.queue.publish(new Placed(1), PublishOptions.none().tags("t"));
        node.drain();
        node.handling.prune();
        assertThat(count(node, "SELECT count(*) FROM {event_notifications}")).isEqualTo(2);
        clock.advance(Duration.ofDays(8));
        node.handling.prune();
        assertThat(states(node)).as("a dead letter waits longer for somebody to look at it").containsExactly("DEAD");
        assertThat(count(node, "SELECT count(*) FROM {event_log}")).isEqualTo(1);
        clock.advance(Duration.ofDays(23));
        node.handling.prune();
        assertThat(states(node)).isEmpty();
        assertThat(count(node, "SELECT count(*) FROM {event_log}")).isZero();
        assertThat(count(node, "SELECT count(*) FROM {event_attempts}")).isZero();
        assertThat(count(node, "SELECT count(*) FROM {event_tags}")).isZero();
    }

    @Test
    void anEventPublishedByAHandlerNamesItsCause() {
        List<EventEnvelope<?>> shipped = new CopyOnWriteArrayList<>();
        Node[] self = new Node[1];
        Node node = node(handlers().withHandler(Placed.class, "a", event -> {
            self[0].queue.publish(new Shipped(event.number()));
            return HandlerResult.success();
        }).withHandler(HandlerDefinition.builder("b", Shipped.class, envelope -> {
            shipped.add(envelope);
            return HandlerResult.success();
        }).build()));
        self[0] = node;
        UUID id = node.queue.publish(new Placed(1));
        node.drain();
        assertThat(shipped).singleElement().satisfies(envelope -> {
            assertThat(envelope.causationId()).isEqualTo(id.toString());
            assertThat(envelope.correlationId()).isEqualTo(id.toString());
        });
    }

    /** The node may claim it again before it has put the outcome of the last run away. */
    @Test
    void aRetryThatIsDueAtOnceIsNotTakenForTheRunBefore() {
        Builder registry = handlers()
            .withHandler(HandlerDefinition
                .builder("h", Placed.class,
                        envelope -> envelope.attempt() < 20
                                ? HandlerResult.transientError("again", Duration.ofMillis(1)) : HandlerResult.success())
                .build());
        Node node = opened(new Node(fresh.dataSource(), null, registry.build())).start();
        node.queue.publishAll(IntStream.range(0, 100).mapToObj(Placed::new).toList());
        await().until(() -> count(node, "SELECT count(*) FROM {event_log}") == 100);
    }

}
