package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import io.eventqueue.AggregateRoot;
import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHandler;
import io.eventqueue.EventHandlerRegistry.Builder;
import io.eventqueue.EventStatus;
import io.eventqueue.Handler;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerDefinition.Invocation;
import io.eventqueue.HandlerResult;
import io.eventqueue.PublishOptions;
import io.eventqueue.outbox.TransactionalActionExecutor;
import io.eventqueue.testsupport.MortalDataSource;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The four combinations of idempotent and transactional, each with what a handler may
 * rely on when it fails, when its process is killed before its transaction commits, and
 * when it is killed right after.
 */
abstract class SemanticsContract extends DatabaseContract {

    record Placed(int number) {
    }

    /** What {@link Movement} was before {@link Delivered} was added to it. */
    sealed interface EarlierMovement permits Shipped {

    }

    sealed interface Movement permits Shipped, Delivered {

    }

    record Shipped(int number) implements Movement, EarlierMovement {
    }

    record Delivered(int number) implements Movement {
    }

    @JsonSubTypes(@JsonSubTypes.Type(Card.class))
    interface Payment {

    }

    record Card(int number) implements Payment {
    }

    record Invoice(int number) implements Payment {
    }

    /** Names what cannot be found from the type. */
    @EventHandler(name = "named", types = Invoice.class)
    record NamedTypes(List<Object> received) implements Handler<Payment> {

        @Override
        public void handle(EventEnvelope<Payment> envelope) {
            received.add(envelope.event());
        }

    }

    static final class Order extends AggregateRoot {

        void ship(int number) {
            raiseEvent(new Shipped(number));
        }

    }

    private final AtomicInteger calls = new AtomicInteger();

    SemanticsContract(TestDatabase kind) {
        super(kind);
    }

    @BeforeEach
    void createTableOfTheApplication() {
        new JdbcTemplate(fresh.dataSource()).execute("CREATE TABLE booked (number_ INT)");
    }

    private static void book(DataSource dataSource) {
        new JdbcTemplate(dataSource).update("INSERT INTO booked VALUES (1)");
    }

    private long booked() {
        Long rows = new JdbcTemplate(fresh.dataSource()).queryForObject("SELECT count(*) FROM booked", Long.class);
        return rows == null ? 0 : rows;
    }

    private Builder booking(boolean idempotent, boolean transactional, Invocation invocation) {
        return handlers().withHandler(HandlerDefinition.builder("book", Placed.class, envelope -> {
            calls.incrementAndGet();
            return invocation.invoke(envelope);
        }).idempotent(idempotent).transactional(transactional).build());
    }

    private Builder booking(boolean idempotent, boolean transactional, DataSource dataSource) {
        return booking(idempotent, transactional, envelope -> {
            book(dataSource);
            return HandlerResult.success();
        });
    }

    /** Books, then fails on the first call only. */
    private Invocation failingOnce() {
        return envelope -> {
            book(fresh.dataSource());
            return calls.get() == 1 ? HandlerResult.transientError("once") : HandlerResult.success();
        };
    }

    private void publishAndHandleTwice(Builder registry) {
        Node node = node(registry);
        node.queue.publish(new Placed(1));
        node.drain();
        clock.advance(Duration.ofSeconds(31));
        node.drain();
    }

    /** Handles one event in a process that is killed, then in a second one. */
    private Node killAndTakeOver(boolean idempotent, boolean transactional, boolean beforeCommit) {
        MortalDataSource mortal = new MortalDataSource(fresh.dataSource());
        Node dying = opened(new Node(mortal, clock, booking(idempotent, transactional, envelope -> {
            book(mortal);
            if (beforeCommit) {
                mortal.kill();
            }
            else {
                mortal.killAfterNextCommit();
            }
            return HandlerResult.success();
        }).build()));
        dying.queue.publish(new Placed(1));
        dying.fanout.drainOneRound();
        assertThat(catchThrowable(dying.handling::drainOneRound)).isNotNull();
        clock.advance(Duration.ofSeconds(61));
        Node heir = node(booking(idempotent, transactional, fresh.dataSource()));
        heir.drain();
        return heir;
    }

    // ---- idempotent, not transactional: at least once

    @Test
    void plainHandlerIsCalledAgainAfterAFailureAndKeepsWhatItWrote() {
        publishAndHandleTwice(booking(true, false, failingOnce()));
        assertThat(calls).hasValue(2);
        assertThat(booked()).isEqualTo(2);
    }

    @Test
    void plainHandlerIsCalledAgainAfterAKill() {
        Node heir = killAndTakeOver(true, false, true);
        assertThat(states(heir)).containsExactly("SUCCEEDED");
        assertThat(calls).hasValue(2);
        assertThat(booked()).isEqualTo(2);
    }

    // ---- idempotent, transactional: at least once, writes of a failed attempt undone

    @Test
    void transactionalHandlerIsRolledBackWhenItFails() {
        publishAndHandleTwice(booking(true, true, failingOnce()));
        assertThat(calls).hasValue(2);
        assertThat(booked()).isEqualTo(1);
    }

    @Test
    void transactionalHandlerNeedsNoConsumedMark() {
        Node node = node(booking(true, true, fresh.dataSource()));
        node.queue.publish(new Placed(1));
        node.drain();
        assertThat(states(node)).containsExactly("SUCCEEDED");
        assertThat(count(node, "SELECT count(*) FROM {consumed_events}")).isZero();
    }

    @Test
    void transactionalHandlerWritesOnceWhenItsProcessIsKilledBeforeTheCommit() {
        killAndTakeOver(true, true, true);
        assertThat(calls).hasValue(2);
        assertThat(booked()).isEqualTo(1);
    }

    @Test
    void transactionalHandlerWritesOnceWhenItsProcessIsKilledAfterTheCommit() {
        Node heir = killAndTakeOver(true, true, false);
        assertThat(calls).as("its success was committed with what it wrote").hasValue(1);
        assertThat(booked()).isEqualTo(1);
        assertThat(count(heir, "SELECT count(*) FROM {event_log}")).isEqualTo(1);
    }

    // ---- not idempotent, transactional: effectively once

    @Test
    void effectivelyOnceHandlerIsRolledBackWhenItFailsAndCalledAgain() {
        publishAndHandleTwice(booking(false, true, failingOnce()));
        assertThat(calls).hasValue(2);
        assertThat(booked()).isEqualTo(1);
    }

    @Test
    void effectivelyOnceHandlerWritesOnceWhenItsProcessIsKilledBeforeTheCommit() {
        Node heir = killAndTakeOver(false, true, true);
        assertThat(calls).hasValue(2);
        assertThat(booked()).isEqualTo(1);
        assertThat(count(heir, "SELECT count(*) FROM {consumed_events}")).isEqualTo(1);
    }

    @Test
    void effectivelyOnceHandlerWritesOnceWhenItsProcessIsKilledAfterTheCommit() {
        killAndTakeOver(false, true, false);
        assertThat(calls).hasValue(1);
        assertThat(booked()).isEqualTo(1);
    }

    @Test
    void effectivelyOnceHandlerDoesNotRepeatWhatWasDoneUnderAnotherDelivery() {
        Node node = node(booking(false, true, fresh.dataSource()));
        node.queue.publish(new Placed(1));
        node.drain();
        // As when an operator restores notifications from a backup.
        node.database.update("UPDATE {event_notifications} SET state = 'PENDING'", Map.of());
        clock.advance(Duration.ofSeconds(61));
        node.drain();
        assertThat(states(node)).containsExactly("SUCCEEDED");
        assertThat(calls).hasValue(1);
        assertThat(booked()).isEqualTo(1);
    }

    @Test
    void aFencedOutTransactionalHandlerIsRolledBack() throws Exception {
        Standstill standstill = new Standstill();
        Node stale = node(booking(true, true, envelope -> {
            book(fresh.dataSource());
            standstill.here();
            return HandlerResult.success();
        }));
        stale.queue.publish(new Placed(1));
        stale.fanout.drainOneRound();
        standstill.bring(stale.handling);
        clock.advance(Duration.ofSeconds(61));
        Node heir = node(booking(true, true, fresh.dataSource()));
        heir.drain();
        standstill.end();
        assertThat(stale.fenced).hasValue(1);
        assertThat(calls).hasValue(2);
        assertThat(booked()).as("what the heir wrote").isEqualTo(1);
    }

    @Test
    void anEventIsFinalizedAlthoughATransactionalHandlerBeganBeforeTheOtherEnded() throws Exception {
        Standstill standstill = new Standstill();
        Node slow = node(booking(true, true, envelope -> {
            // Fixes what the transaction sees, where that is the default.
            new JdbcTemplate(fresh.dataSource()).queryForList("SELECT * FROM booked");
            standstill.here();
            return HandlerResult.success();
        }));
        Node quick = node(handlers().withHandler(Placed.class, "quick", event -> HandlerResult.success()));
        quick.fanout.drainOneRound();
        slow.fanout.drainOneRound();
        UUID id = slow.queue.publish(new Placed(1));
        slow.fanout.drainOneRound();
        standstill.bring(slow.handling);
        quick.drain();
        standstill.end();
        assertThat(slow.queue.find(id).orElseThrow().status()).isEqualTo(EventStatus.COMPLETED);
    }

    // ---- what handlers raise

    @Test
    void whatATransactionalHandlerRaisesBelongsToItsTransactionAndNamesItsCause() {
        Node[] self = new Node[1];
        List<EventEnvelope<?>> raised = new CopyOnWriteArrayList<>();
        Node node = node(booking(true, true, envelope -> {
            self[0].queue.publish(new Shipped(1));
            Order order = new Order();
            order.ship(2);
            self[0].queue.publishAll(order);
            new TransactionalActionExecutor(self[0].queue).execute("ship", Map.of(), events -> {
                events.raise(new Shipped(3));
                return "";
            });
            return calls.get() == 1 ? HandlerResult.transientError("once") : HandlerResult.success();
        }).withHandler(HandlerDefinition.builder("shipping", Shipped.class, envelope -> {
            raised.add(envelope);
            self[0].queue.publish(new Delivered(((Shipped) envelope.event()).number()));
            return HandlerResult.success();
        }).build()).withHandler(HandlerDefinition.builder("delivery", Delivered.class, envelope -> {
            raised.add(envelope);
            return HandlerResult.success();
        }).build()));
        self[0] = node;
        UUID first = node.queue.publish(new Placed(1));
        node.drain();
        assertThat(raised).as("rolled back with the failed attempt").isEmpty();
        clock.advance(Duration.ofSeconds(30));
        node.drain();
        assertThat(raised).hasSize(6).allSatisfy(envelope -> {
            assertThat(envelope.correlationId()).as("the first of the chain").isEqualTo(first.toString());
            if (envelope.event() instanceof Shipped) {
                assertThat(envelope.causationId()).isEqualTo(first.toString());
            }
            else {
                assertThat(raised).extracting(cause -> cause.eventId().toString()).contains(envelope.causationId());
            }
        });
    }

    // ---- subtypes

    @Test
    void aHandlerOfAnAbstractTypeReceivesTheSubtypesItsNodeCanKnow() {
        List<Object> received = new CopyOnWriteArrayList<>();
        Invocation record = envelope -> {
            received.add(envelope.event());
            return HandlerResult.success();
        };
        Node node = node(handlers().withHandler(HandlerDefinition.builder("sealed", Movement.class, record).build())
            .withHandler(HandlerDefinition.builder("jackson", Payment.class, record).build())
            .withHandler(HandlerDefinition.from(new NamedTypes(received)).build()));
        node.queue.publishAll(List.of(new Shipped(1), new Delivered(2), new Card(3), new Invoice(4)));
        node.drain();
        assertThat(received).containsExactlyInAnyOrder(new Shipped(1), new Delivered(2), new Card(3), new Card(3),
                new Invoice(4));
    }

    @Test
    void aSubtypeOfALaterReleaseIsSubscribedByItself() {
        Node before = node(handlers()
            .withHandler(HandlerDefinition.builder("moves", EarlierMovement.class, envelope -> HandlerResult.success())
                .build()));
        before.queue.publish(new Delivered(1));
        before.drain();
        assertThat(count(before, "SELECT count(*) FROM {event_notifications}")).isZero();
        Node after = node(handlers().withHandler(
                HandlerDefinition.builder("moves", Movement.class, envelope -> HandlerResult.success()).build()));
        after.drain();
        assertThat(column(after, "SELECT event_type FROM {event_notifications}")).containsExactly("Delivered");
        assertThat(states(after)).containsExactly("SUCCEEDED");
    }

    // ---- neither: at most once

    @Test
    void atMostOnceHandlerIsDeadAfterAFailureAndTellsWhy() {
        Node node = node(booking(false, false, failingOnce()));
        UUID id = node.queue.publish(new Placed(1));
        node.drain();
        clock.advance(Duration.ofSeconds(31));
        node.drain();
        assertThat(calls).hasValue(1);
        assertThat(booked()).isEqualTo(1);
        assertThat(rows(node, "SELECT state, last_error FROM {event_notifications}")).singleElement().satisfies(row -> {
            assertThat(row.get("state")).isEqualTo("DEAD");
            assertThat(row.get("last_error")).isEqualTo("once");
        });
        assertThat(node.queue.find(id).orElseThrow().status()).isEqualTo(EventStatus.COMPLETED_WITH_ERRORS);
    }

    @Test
    void atMostOnceHandlerIsDeadWhenItsProcessWasKilled() {
        Node heir = killAndTakeOver(false, false, true);
        assertThat(calls).hasValue(1);
        assertThat(rows(heir, "SELECT state, last_error FROM {event_notifications}")).singleElement().satisfies(row -> {
            assertThat(row.get("state")).isEqualTo("DEAD");
            assertThat((String) row.get("last_error")).contains("at most once");
        });
    }

    @Test
    void atMostOnceHandlerIsDeadWhenItTimesOut() {
        Node node = node(handlers().withHandler(HandlerDefinition.builder("slow", Placed.class, envelope -> {
            calls.incrementAndGet();
            new CountDownLatch(1).await();
            return HandlerResult.success();
        }).idempotent(false).timeout(Duration.ofSeconds(1)).build()));
        node.queue.publish(new Placed(1));
        node.drain();
        assertThat(states(node)).containsExactly("DEAD");
        assertThat(calls).hasValue(1);
    }

    @Test
    void atMostOnceHandlerIsNotBurntByAPayloadItCannotRead() {
        Node node = node(booking(false, false, fresh.dataSource()));
        node.queue.publish(Map.of("number", "many"), PublishOptions.none().type("Placed"));
        node.drain();
        assertThat(states(node)).as("it was not called, so a later version may be").containsExactly("FAILED");
        assertThat(count(node, "SELECT count(*) FROM {consumed_events}")).isZero();
    }

}
