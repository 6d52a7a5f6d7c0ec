package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.DeadLetterFilter;
import io.eventqueue.EventHandlerRegistry.Builder;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerDefinition.Invocation;
import io.eventqueue.HandlerResult;
import io.eventqueue.PublishOptions;
import io.eventqueue.RetryPolicy;
import io.eventqueue.handling.StoredDeadLetters;
import io.eventqueue.testsupport.MortalDataSource;
import io.eventqueue.testsupport.StatementRecorder;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An ordered handler gets the events of one key one at a time, as they were committed.
 */
abstract class OrderingContract extends DatabaseContract {

    sealed interface Change permits Opened, Moved {

        int number();

    }

    record Opened(String key, int number) implements Change {
    }

    record Moved(String key, int number) implements Change {
    }

    private final List<String> seen = new CopyOnWriteArrayList<>();

    private final Set<String> failing = ConcurrentHashMap.newKeySet();

    OrderingContract(TestDatabase kind) {
        super(kind);
    }

    private HandlerDefinition.Builder ordered(String name) {
        return HandlerDefinition.builder(name, Change.class, envelope -> {
            String what = envelope.key() + ((Change) envelope.event()).number();
            if (failing.contains(what)) {
                return HandlerResult.transientError("not yet");
            }
            seen.add(what);
            return HandlerResult.success();
        }).ordered(true);
    }

    private Node ordering() {
        return node(handlers().withHandler(ordered("track").build()));
    }

    private static void publish(Node node, String key, int number) {
        node.queue.publish(number % 2 == 0 ? new Opened(key, number) : new Moved(key, number),
                PublishOptions.none().key(key));
    }

    @Test
    void aFailingEventHoldsBackOnlyItsOwnKey() {
        Node node = ordering();
        node.fanout.drainOneRound();
        failing.add("a2");
        for (int i = 1; i <= 3; i++) {
            publish(node, "a", i);
            publish(node, "b", i);
        }
        node.drain();
        assertThat(seen).containsExactlyInAnyOrder("a1", "b1", "b2", "b3").containsSubsequence("b1", "b2", "b3");
        clock.advance(Duration.ofSeconds(10));
        node.drain();
        assertThat(node.blockedKeys).containsEntry("track", 1);
        assertThat(node.blockedSince).containsEntry("track", Duration.ofSeconds(10));
        failing.clear();
        clock.advance(Duration.ofSeconds(20));
        node.drain();
        assertThat(seen).containsSubsequence("a1", "a2", "a3");
        node.drain();
        assertThat(node.blockedKeys).containsEntry("track", 0);
    }

    @Test
    void goesOnWhenTheFirstIsDead() {
        Node node = node(handlers()
            .withHandler(ordered("track").retryPolicy(RetryPolicy.inherited().withMaxAttempts(1)).build()));
        failing.add("a1");
        publish(node, "a", 1);
        publish(node, "a", 2);
        node.drain();
        assertThat(seen).containsExactly("a2");
        failing.clear();
        new StoredDeadLetters(List.of(node.database)).replay(DeadLetterFilter.all(), "ann");
        node.drain();
        assertThat(seen).as("replayed, it is out of order: its time has passed").containsExactly("a2", "a1");
    }

    @Test
    void goesOnWhenTheFirstExpires() {
        Node node = ordering();
        failing.add("a1");
        publish(node, "a", 1);
        node.drain();
        clock.advance(Duration.ofDays(6));
        publish(node, "a", 2);
        node.drain();
        assertThat(seen).isEmpty();
        clock.advance(Duration.ofDays(2));
        node.drain();
        assertThat(seen).containsExactly("a2");
    }

    @Test
    void waitsForAnEventThatIsNotFannedOutYet() {
        Node node = ordering();
        publish(node, "a", 1);
        publish(node, "a", 2);
        // Another node has the first in its hands: it cannot be seen as a notification.
        node.database.update("UPDATE {events} SET status = 'PROCESSING' WHERE event_type = 'Moved'", Map.of());
        node.fanout.drainOneRound();
        node.database.update("UPDATE {events} SET status = 'PENDING' WHERE event_type = 'Moved'", Map.of());
        node.handling.drainOneRound();
        assertThat(seen).isEmpty();
        clock.advance(Duration.ofSeconds(1));
        node.drain();
        assertThat(seen).containsExactly("a1", "a2");
    }

    @Test
    void aRenamedHandlerKeepsTheOrder() {
        Node before = node(handlers().withHandler(ordered("old").build()));
        failing.add("a1");
        publish(before, "a", 1);
        before.drain();
        Node after = node(handlers().withHandler(ordered("new").aliases(List.of("old")).build()));
        after.fanout.drainOneRound();
        publish(after, "a", 2);
        after.drain();
        assertThat(seen).isEmpty();
        failing.clear();
        clock.advance(Duration.ofSeconds(30));
        after.drain();
        assertThat(seen).containsExactly("a1", "a2");
    }

    @Test
    void aLongBacklogOfOneKeyDoesNotKeepOtherKeysWaiting() {
        Node node = ordering();
        failing.add("a0");
        for (int i = 0; i < 1500; i++) {
            publish(node, "a", i);
        }
        publish(node, "b", 1);
        while (node.fanout.drainOneRound() > 0) {
            // all of it
        }
        node.handling.drainOneRound();
        node.handling.drainOneRound();
        assertThat(seen).containsExactly("b1");
    }

    @Test
    void eventsWithoutAKeyDoNotWait() {
        Node node = ordering();
        failing.add("null1");
        node.queue.publish(new Moved("", 1));
        node.queue.publish(new Moved("", 2));
        node.drain();
        assertThat(seen).containsExactly("null2");
    }

    @Test
    void orderHoldsTogetherWithPriority() {
        Node node = node(handlers().withHandler(ordered("track").priority(5).build())
            .withHandler(HandlerDefinition.builder("gate", Change.class, envelope -> {
                seen.add("gate" + ((Change) envelope.event()).number());
                return HandlerResult.success();
            }).build()));
        failing.add("a1");
        publish(node, "a", 1);
        publish(node, "a", 2);
        node.drain();
        failing.clear();
        clock.advance(Duration.ofSeconds(30));
        node.drain();
        assertThat(seen).containsExactlyInAnyOrder("gate1", "gate2", "a1", "a2").containsSubsequence("a1", "a2");
        assertThat(seen).containsSubsequence("gate2", "a2");
    }

    @Test
    void handlersThatAreNotOrderedPayNothingForIt() {
        assertThat(statementsAboutLanes(false)).isZero();
        assertThat(statementsAboutLanes(true)).isPositive();
    }

    private long statementsAboutLanes(boolean ordered) {
        StatementRecorder recorder = new StatementRecorder(fresh.dataSource());
        Node node = opened(new Node(recorder, clock,
                handlers().withHandler(ordered("h" + ordered).ordered(ordered).build()).build()));
        publish(node, "a", 1);
        node.drain();
        return recorder.drain().stream().filter(executed -> executed.sql().contains("n.lane")).count();
    }

    /** A later number that commits first would be handled first, if nobody waited. */
    @Test
    void aPublisherWaitsForTheTransactionThatPublishedTheKeyBefore() throws Exception {
        Node node = ordering();
        node.fanout.drainOneRound();
        CountDownLatch published = new CountDownLatch(1);
        CountDownLatch commit = new CountDownLatch(1);
        Thread first = Thread.ofVirtual()
            .start(() -> new TransactionTemplate(node.shard.transactionManager()).executeWithoutResult(status -> {
                publish(node, "a", 1);
                published.countDown();
                awaitUninterruptibly(commit);
            }));
        published.await();
        Thread second = Thread.ofVirtual().start(() -> publish(node, "a", 2));
        publish(node, "b", 1);
        node.drain();
        assertThat(seen).as("other keys do not wait").containsExactly("b1");
        commit.countDown();
        first.join();
        second.join();
        node.drain();
        assertThat(seen).containsExactly("b1", "a1", "a2");
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        }
        catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Numbers are drawn from a row of the application that stays locked until the commit,
     * so their order is the order of commits.
     */
    @Test
    void concurrentPublishersRandomFailuresAndAKilledNodeKeepTheOrderOfCommits() throws Exception {
        JdbcTemplate jdbc = new JdbcTemplate(fresh.dataSource());
        jdbc.execute("CREATE TABLE accounts (name_ VARCHAR(10) PRIMARY KEY, version_ INT)");
        List<String> keys = List.of("a", "b", "c", "d", "e");
        keys.forEach(key -> jdbc.update("INSERT INTO accounts VALUES (?, 0)", key));
        Map<String, List<Integer>> handled = new ConcurrentHashMap<>();
        Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
        AtomicInteger overlaps = new AtomicInteger();
        AtomicInteger callsOfVictim = new AtomicInteger();
        CountDownLatch died = new CountDownLatch(1);
        MortalDataSource mortal = new MortalDataSource(fresh.dataSource());
        Invocation invocation = envelope -> {
            AtomicInteger here = running.computeIfAbsent(envelope.key(), key -> new AtomicInteger());
            if (here.incrementAndGet() > 1) {
                overlaps.incrementAndGet();
            }
            try {
                if (ThreadLocalRandom.current().nextInt(5) == 0) {
                    return HandlerResult.transientError("bad luck", Duration.ofMillis(5));
                }
                handled.computeIfAbsent(envelope.key(), key -> new CopyOnWriteArrayList<>())
                    .add(((Change) envelope.event()).number());
                return HandlerResult.success();
            }
            finally {
                here.decrementAndGet();
            }
        };
        Invocation dying = envelope -> {
            HandlerResult result = invocation.invoke(envelope);
            if (callsOfVictim.incrementAndGet() == 10) {
                died.countDown();
                mortal.kill();
            }
            return result;
        };
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Builder registry = handlers()
                .withHandler(HandlerDefinition.builder("track", Change.class, i == 0 ? dying : invocation)
                    .ordered(true)
                    .build());
            // Only what the victim leaves behind is to be taken over.
            Duration lease = i == 0 ? Duration.ofSeconds(2) : Duration.ofMinutes(5);
            nodes.add(opened(new Node(i == 0 ? mortal : fresh.dataSource(), null, registry.build(),
                    b -> b.abandonmentTimeout(lease).shutdownTimeout(Duration.ofMillis(200)))));
        }
        nodes.getFirst().start();
        Builder registry = handlers()
            .withHandler(HandlerDefinition.builder("track", Change.class, invocation).ordered(true).build());
        Node publisher = opened(new Node(fresh.dataSource(), null, registry.build()));
        publisher.fanout.drainOneRound();
        try (ExecutorService publishers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int thread = 0; thread < 4; thread++) {
                publishers.submit(() -> publishAll(publisher, jdbc, keys, 50));
            }
            assertThat(died.await(1, TimeUnit.MINUTES)).as("the victim died with an event in its hands").isTrue();
            nodes.stream().skip(1).forEach(Node::start);
        }
        await().until(() -> count(publisher, "SELECT count(*) FROM {event_log}") == 200);
        assertThat(nodes.stream().mapToInt(node -> node.abandoned.get()).sum()).as("taken over").isPositive();
        assertThat(overlaps).as("one at a time").hasValue(0);
        long published = handled.values().stream().mapToLong(numbers -> numbers.stream().distinct().count()).sum();
        assertThat(published).isEqualTo(200);
        assertThat(handled).allSatisfy((key, numbers) -> assertThat(numbers).as(key).isSorted());
    }

    private static void publishAll(Node node, JdbcTemplate jdbc, List<String> keys, int events) {
        TransactionTemplate transaction = new TransactionTemplate(node.shard.transactionManager());
        for (int i = 0; i < events; i++) {
            String key = keys.get(ThreadLocalRandom.current().nextInt(keys.size()));
            transaction.executeWithoutResult(status -> {
                jdbc.update("UPDATE accounts SET version_ = version_ + 1 WHERE name_ = ?", key);
                Integer version = jdbc.queryForObject("SELECT version_ FROM accounts WHERE name_ = ?", Integer.class,
                        key);
                publish(node, key, version == null ? 0 : version);
            });
        }
    }

}
