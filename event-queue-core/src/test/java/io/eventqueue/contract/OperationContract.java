package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.eventqueue.EventHandlerRegistry.Builder;
import io.eventqueue.EventStatus;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerResult;
import io.eventqueue.NotificationState;
import io.eventqueue.PublishOptions;
import io.eventqueue.UnrecoverableEventException;
import io.eventqueue.handling.SubscriptionControl;
import io.eventqueue.handling.SubscriptionControl.Subscription;
import io.eventqueue.jdbc.Backlog;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What an operator sees and does, on whatever database the subclass names. */
abstract class OperationContract extends DatabaseContract {

    record Placed(int number) {
    }

    record Shipped(int number) {
    }

    private final List<String> calls = new CopyOnWriteArrayList<>();

    OperationContract(TestDatabase kind) {
        super(kind);
    }

    private Node node(HandlerDefinition... handlers) {
        Builder registry = handlers();
        for (HandlerDefinition handler : handlers) {
            registry.withHandler(handler);
        }
        return node(registry);
    }

    private HandlerDefinition.Builder recording(String name, Class<?> type) {
        return HandlerDefinition.builder(name, type, envelope -> {
            calls.add(name);
            return HandlerResult.success();
        });
    }

    /** Pools close connections after a while, also the one that made the tables. */
    @Test
    void worksAfterTheConnectionThatMigratedIsClosed() throws Exception {
        fresh.dataSource().unwrap(HikariDataSource.class).close();
        try (HikariDataSource later = fresh.newPool(5);
                Node node = new Node(later, clock,
                        handlers().withHandler(recording("a", Placed.class).build()).build())) {
            node.queue.publish(new Placed(1));
            node.drain();

            assertThat(calls).containsExactly("a");
        }
    }

    // ---- depth and age

    @Test
    void anEmptyQueueHasNoDepthAndNoAge() {
        try (Node node = node()) {
            Backlog.Depth depth = new Backlog(node.database).depth();

            assertThat(depth.events()).containsOnly(Map.entry(EventStatus.PENDING, 0),
                    Map.entry(EventStatus.PROCESSING, 0));
            assertThat(depth.notifications()).containsOnly(Map.entry(NotificationState.WAITING, 0),
                    Map.entry(NotificationState.PENDING, 0), Map.entry(NotificationState.FAILED, 0),
                    Map.entry(NotificationState.DEAD, 0), Map.entry(NotificationState.EXPIRED, 0));
            assertThat(depth.oldestPendingAge()).isZero();
        }
    }

    @Test
    void countsByStateAndFindsTheOldestThatIsDue() {
        HandlerDefinition failing = HandlerDefinition.builder("failing", Placed.class, envelope -> {
            throw new IllegalStateException("boom");
        }).build();
        HandlerDefinition fatal = HandlerDefinition.builder("fatal", Placed.class, envelope -> {
            throw new UnrecoverableEventException("boom");
        }).build();
        try (Node node = node(failing, fatal)) {
            Backlog backlog = new Backlog(node.database);
            node.fanout.drainOneRound();
            node.queue.publish(new Placed(1));
            node.queue.publish(new Placed(2));
            node.queue.publish(new Placed(3), PublishOptions.none().delay(Duration.ofDays(1)));
            node.queue.publish(new Shipped(4));
            clock.advance(Duration.ofSeconds(40));

            assertThat(backlog.depth().events()).containsEntry(EventStatus.PENDING, 4);
            assertThat(backlog.depth().oldestPendingAge()).isEqualTo(Duration.ofSeconds(40));

            node.fanout.drainOneRound();
            assertThat(backlog.depth().events()).as("the delayed and the unsubscribed one")
                .containsEntry(EventStatus.PENDING, 2);
            assertThat(backlog.depth().notifications()).containsEntry(NotificationState.PENDING, 4);
            clock.advance(Duration.ofSeconds(2));
            assertThat(backlog.depth().oldestPendingAge()).as("due since fan-out").isEqualTo(Duration.ofSeconds(2));

            node.handling.drainOneRound();
            assertThat(backlog.depth().notifications()).containsOnly(Map.entry(NotificationState.WAITING, 0),
                    Map.entry(NotificationState.PENDING, 0), Map.entry(NotificationState.FAILED, 2),
                    Map.entry(NotificationState.DEAD, 2), Map.entry(NotificationState.EXPIRED, 0));
            assertThat(backlog.depth().oldestPendingAge())
                .as("waiting for a retry, for its delay or for a handler is not late")
                .isZero();

            clock.advance(Duration.ofDays(8));
            node.handling.drainOneRound();
            assertThat(backlog.depth().notifications()).containsEntry(NotificationState.EXPIRED, 2)
                .containsEntry(NotificationState.FAILED, 0);
        }
    }

    // ---- pause, resume, retire

    @Test
    void aPausedHandlerIsNotStartedUntilItIsResumed() {
        try (Node node = node(recording("a", Placed.class).build(), recording("b", Placed.class).build())) {
            SubscriptionControl control = new SubscriptionControl(node.database);
            node.drain();
            assertThat(control.pause("a")).isTrue();
            node.queue.publish(new Placed(1));
            node.drain();

            assertThat(calls).containsExactly("b");
            assertThat(control.list()).extracting(Subscription::handler, Subscription::paused, Subscription::open)
                .containsExactly(tuple("a", true, 1), tuple("b", false, 0));

            assertThat(control.resume("a")).isTrue();
            node.drain();
            assertThat(calls).containsExactly("b", "a");
        }
    }

    /** With running loops, fan-out claims for the handler, not the claim loop. */
    @Test
    void fanoutDoesNotClaimForAPausedHandler() {
        try (Node node = node(recording("a", Placed.class).build(), recording("b", Placed.class).build())) {
            node.drain();
            new SubscriptionControl(node.database).pause("a");
            node.start();
            UUID id = node.queue.publish(new Placed(1));
            await().until(() -> calls.contains("b"));
            await().until(() -> succeeded(node, "b") == 1);

            assertThat(succeeded(node, "a")).isZero();
            assertThat(calls).containsExactly("b");
            assertThat(node.queue.find(id)).get().extracting(event -> event.status()).isEqualTo(EventStatus.DELIVERED);
        }
    }

    private long succeeded(Node node, String handler) {
        return node.database
            .query("SELECT COUNT(*) FROM {event_notifications} WHERE handler_name = :name"
                    + " AND (state = 'SUCCEEDED' OR owner IS NOT NULL)", Map.of("name", handler),
                    (rs, row) -> rs.getLong(1))
            .getFirst();
    }

    @Test
    void aPausedHandlerStaysPausedWhenItIsRenamedOrGetsAnotherType() {
        try (Node old = node(recording("old", Placed.class).build())) {
            old.drain();
            old.queue.publish(new Placed(1));
            old.fanout.drainOneRound();
            new SubscriptionControl(old.database).pause("old");
        }
        try (Node renamed = node(
                recording("new", Placed.class).subscribe(Shipped.class).aliases(List.of("old")).build())) {
            renamed.drain();
            renamed.queue.publish(new Shipped(2));
            renamed.drain();
            assertThat(calls).isEmpty();

            new SubscriptionControl(renamed.database).resume("new");
            renamed.drain();
            assertThat(calls).containsExactly("new", "new");
        }
    }

    @Test
    void aRetiredHandlerGetsNothingMoreAndItsOpenDeliveriesExpire() {
        try (Node node = node(recording("a", Placed.class).build(), recording("b", Placed.class).build())) {
            SubscriptionControl control = new SubscriptionControl(node.database);
            node.drain();
            UUID before = node.queue.publish(new Placed(1));
            node.fanout.drainOneRound();
            assertThat(control.retire("a")).isTrue();
            node.queue.publish(new Placed(2));
            node.drain();

            assertThat(calls).containsExactly("b", "b");
            assertThat(node.queue.find(before)).get().satisfies(event -> {
                assertThat(event.status()).isEqualTo(EventStatus.COMPLETED_WITH_ERRORS);
                assertThat(event.errors()).contains("its handler was retired");
            });

            control.resume("a");
            node.queue.publish(new Placed(3));
            node.drain();
            assertThat(calls).containsExactlyInAnyOrder("b", "b", "a", "b");
        }
    }

    @Test
    void saysWhenThereIsNoSuchHandler() {
        try (Node node = node()) {
            SubscriptionControl control = new SubscriptionControl(node.database);

            assertThat(control.pause("nobody")).isFalse();
            assertThat(control.resume("nobody")).isFalse();
            assertThat(control.retire("nobody")).isFalse();
            assertThat(control.list()).isEmpty();
        }
    }

}
