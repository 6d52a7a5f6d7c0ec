package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventHandlerRegistry.Builder;
import io.eventqueue.EventStatus;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerDefinition.Invocation;
import io.eventqueue.HandlerResult;
import io.eventqueue.handling.SubscriptionControl;
import io.eventqueue.testsupport.MortalDataSource;
import io.eventqueue.testsupport.StatementRecorder;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Handlers of one event start in the order of their priority, each after the other's
 * attempt.
 */
abstract class PriorityContract extends DatabaseContract {

    record Placed(int number) {
    }

    private final List<String> started = new CopyOnWriteArrayList<>();

    PriorityContract(TestDatabase kind) {
        super(kind);
    }

    private HandlerDefinition handler(String name, int priority, Invocation invocation) {
        return HandlerDefinition.builder(name, Placed.class, envelope -> {
            started.add(name);
            return invocation.invoke(envelope);
        }).priority(priority).build();
    }

    private HandlerDefinition handler(String name, int priority) {
        return handler(name, priority, envelope -> HandlerResult.success());
    }

    private Builder three() {
        return handlers().withHandler(handler("last", 10))
            .withHandler(handler("first", -5))
            .withHandler(handler("middle", 0));
    }

    @Test
    void startsLowerNumbersFirst() {
        Node node = node(three().withHandler(handler("second", -1)));
        UUID id = node.queue.publish(new Placed(1));
        node.fanout.drainOneRound();
        assertThat(states(node)).containsExactly("PENDING", "WAITING", "WAITING", "WAITING");
        node.drain();
        assertThat(started).containsExactly("first", "second", "middle", "last");
        assertThat(node.queue.find(id).orElseThrow().status()).isEqualTo(EventStatus.COMPLETED);
    }

    @Test
    void waitsForAllOfALowerNumber() {
        Node one = node(handlers().withHandler(handler("a", -1)));
        Node two = node(handlers().withHandler(handler("b", -1)).withHandler(handler("last", 0)));
        one.fanout.drainOneRound();
        two.fanout.drainOneRound();
        one.queue.publish(new Placed(1));
        one.fanout.drainOneRound();
        two.drain();
        assertThat(started).containsExactly("b");
        one.drain();
        two.drain();
        assertThat(started).containsExactly("b", "a", "last");
    }

    @Test
    void aFailureHoldsUpTheOthersForThatAttemptOnly() {
        Node node = node(three().withHandler(handler("zeroth", -9, envelope -> {
            throw new IllegalStateException("no");
        })));
        node.queue.publish(new Placed(1));
        node.drain();
        assertThat(started).containsExactly("zeroth", "first", "middle", "last");
        clock.advance(Duration.ofSeconds(30));
        node.drain();
        assertThat(started).as("the retry holds nobody").containsExactly("zeroth", "first", "middle", "last", "zeroth");
    }

    @Test
    void anAttemptEndsWithTheLeaseOfAKilledNode() {
        MortalDataSource mortal = new MortalDataSource(fresh.dataSource());
        Node dying = opened(new Node(mortal, clock, handlers().withHandler(handler("first", -5, envelope -> {
            mortal.kill();
            return HandlerResult.success();
        })).withHandler(handler("last", 0)).build()));
        dying.queue.publish(new Placed(1));
        dying.fanout.drainOneRound();
        catchThrowable(dying.handling::drainOneRound);
        CountDownLatch release = new CountDownLatch(1);
        Node heir = opened(new Node(fresh.dataSource(), clock, handlers().withHandler(handler("first", -5, envelope -> {
            release.await();
            return HandlerResult.success();
        })).withHandler(handler("last", 0)).build()));
        clock.advance(Duration.ofSeconds(61));
        Thread running = Thread.ofVirtual().start(heir.handling::drainOneRound);
        await().until(() -> started.equals(List.of("first", "first")));
        assertThat(states(heir)).containsExactly("PENDING", "PENDING");
        Node other = node(handlers().withHandler(handler("last", 0)));
        other.drain();
        assertThat(started).containsExactly("first", "first", "last");
        release.countDown();
        await().until(() -> !running.isAlive());
        assertThat(states(heir)).containsExactly("SUCCEEDED", "SUCCEEDED");
    }

    @Test
    void transactionalHandlersTakePartToo() {
        Node node = node(
                handlers().withHandler(handler("first", -5).toBuilder().transactional(true).idempotent(false).build())
                    .withHandler(handler("last", 0)));
        node.queue.publish(new Placed(1));
        node.drain();
        assertThat(started).containsExactly("first", "last");
    }

    @Test
    void handlersOfOnePriorityPayNothingForIt() {
        assertThat(releases(3, 3)).isZero();
        assertThat(releases(3, 4)).isPositive();
    }

    /** Statements that end the waiting of others. */
    private long releases(int first, int second) {
        StatementRecorder recorder = new StatementRecorder(fresh.dataSource());
        Node node = opened(new Node(recorder, clock,
                handlers().withHandler(handler("one", first)).withHandler(handler("two", second)).build()));
        node.queue.publish(new Placed(1));
        node.drain();
        return recorder.drain().stream().filter(executed -> executed.sql().contains("SET holds = FALSE")).count();
    }

    @Test
    void aPausedHandlerHoldsNobody() {
        Node node = node(three());
        node.queue.publish(new Placed(1));
        node.fanout.drainOneRound();
        new SubscriptionControl(node.database).pause("first");
        node.drain();
        assertThat(started).as("paused after fan-out").containsExactly("middle", "last");
        node.queue.publish(new Placed(2));
        node.drain();
        assertThat(started).as("paused before").containsExactly("middle", "last", "middle", "last");
        new SubscriptionControl(node.database).resume("first");
        node.drain();
        assertThat(started).hasSize(6);
    }

    @Test
    void aHandlerThatNoNodeHasHoldsNobody() {
        node(three()).fanout.drainOneRound();
        Node without = node(handlers().withHandler(handler("last", 10)));
        clock.advance(Duration.ofMinutes(4));
        without.queue.publish(new Placed(1));
        without.drain();
        assertThat(started).isEmpty();
        clock.advance(Duration.ofMinutes(2));
        without.drain();
        assertThat(started).containsExactly("last");
    }

    @Test
    void waitingOnesExpireToo() {
        Node node = node(three());
        UUID id = node.queue.publish(new Placed(1));
        node.fanout.drainOneRound();
        clock.advance(Duration.ofDays(8));
        node.drain();
        assertThat(states(node)).containsExactly("EXPIRED", "EXPIRED", "EXPIRED");
        assertThat(node.queue.find(id).orElseThrow().status()).isEqualTo(EventStatus.COMPLETED_WITH_ERRORS);
    }

    @Test
    void runningNodesKeepTheOrderOfEveryEvent() {
        Map<Integer, List<String>> orders = new ConcurrentHashMap<>();
        Builder registry = handlers();
        for (int i = 0; i < 3; i++) {
            String name = "h" + i;
            registry.withHandler(HandlerDefinition.builder(name, Placed.class, envelope -> {
                int number = ((Placed) envelope.event()).number();
                orders.computeIfAbsent(number, n -> new CopyOnWriteArrayList<>()).add(name);
                return envelope.attempt() == 1 && number % 7 == 0 && name.equals("h0")
                        ? HandlerResult.transientError("unlucky", Duration.ofMillis(1)) : HandlerResult.success();
            }).priority(i).build());
        }
        Node one = opened(new Node(fresh.dataSource(), null, registry.build())).start();
        opened(new Node(fresh.dataSource(), null, registry.build())).start();
        one.queue.publishAll(IntStream.range(0, 200).mapToObj(Placed::new).toList());
        await().until(() -> count(one, "SELECT count(*) FROM {event_log}") == 200);
        assertThat(orders).hasSize(200)
            .allSatisfy((number, order) -> assertThat(order.stream().distinct()).containsExactly("h0", "h1", "h2"));
    }

}
