package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventLogProjection;
import io.eventqueue.EventQueueListener;
import io.eventqueue.HandlerResult;
import io.eventqueue.InvalidProjectionException;
import io.eventqueue.ProjectionContext;
import io.eventqueue.ProjectionException;
import io.eventqueue.PublishOptions;
import io.eventqueue.QueuedEvent;
import io.eventqueue.log.ProjectionJob;
import io.eventqueue.log.ProjectionStatus;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** What projections may rely on, on whatever database the subclass names. */
abstract class ProjectionContract extends DatabaseContract {

    record Placed(int number) {
    }

    record Other(int number) {
    }

    /** Writes every event it sees into a table; a hook can do something before. */
    private static class Recording implements EventLogProjection {

        private final String name;

        boolean errors = true;

        Set<String> types = Set.of();

        EventConsumer before = number -> {
        };

        Recording(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void handle(QueuedEvent event, ProjectionContext context) throws Exception {
            int number = context.read(event, Placed.class).number();
            before.accept(number);
            context.jdbc()
                .update("INSERT INTO projected (name, position, number) VALUES (?, ?, ?)", name, context.position(),
                        number);
        }

        @Override
        public boolean includesErrors() {
            return errors;
        }

        @Override
        public Set<String> eventTypes() {
            return types;
        }

        @Override
        public void reset(ProjectionContext context) {
            context.jdbc().update("DELETE FROM projected WHERE name = ?", name);
        }

    }

    private interface EventConsumer {

        void accept(int number) throws Exception;

    }

    private final List<String> heard = new CopyOnWriteArrayList<>();

    private Node node;

    ProjectionContract(TestDatabase kind) {
        super(kind);
    }

    @BeforeEach
    void createReadModel() {
        new JdbcTemplate(fresh.dataSource())
            .execute("CREATE TABLE projected (name VARCHAR(50), position BIGINT, number INT)");
        node = node(handlers());
    }

    private ProjectionJob job(int batchSize, EventLogProjection... projections) {
        ProjectionJob job = ProjectionJob.projectionJob()
            .databases(List.of(node.database))
            .projections(List.of(projections))
            .batchSize(batchSize)
            .pollDelay(Duration.ofMillis(5))
            .listener(new EventQueueListener() {
                @Override
                public void projected(String shard, String projection, int events, long lag) {
                    heard.add(projection + " +" + events + " lag " + lag);
                }

                @Override
                public void projectionFailed(String shard, String projection, Exception error) {
                    heard.add(projection + " failed");
                }

                @Override
                public void projectionMissed(String shard, String projection, long positions) {
                    heard.add(projection + " missed " + positions);
                }
            })
            .build();
        open.add(job::stop);
        return job;
    }

    private static void drain(ProjectionJob job) {
        while (job.drainOneRound() > 0) {
            // to the end of the log
        }
    }

    private List<Integer> projected(String name) {
        return new JdbcTemplate(fresh.dataSource())
            .queryForList("SELECT number FROM projected WHERE name = ? ORDER BY position", Integer.class, name);
    }

    private void publish(int... numbers) {
        IntStream.of(numbers).forEach(number -> node.queue.publish(new Placed(number)));
    }

    private void finish(QueuedEvent... events) {
        for (QueuedEvent event : events) {
            node.queue.finalizeEvent(event, List.of());
        }
    }

    private QueuedEvent poll() {
        return node.queue.poll().orElseThrow();
    }

    @Test
    void appliesFinalizedEventsOnceInTheOrderTheyWereFinalized() {
        Recording model = new Recording("a");
        ProjectionJob job = job(2, model);
        publish(1, 2, 3, 4);
        QueuedEvent first = poll();
        QueuedEvent second = poll();
        QueuedEvent third = poll();
        finish(third, first);
        drain(job);
        assertThat(projected("a")).containsExactly(3, 1);
        finish(poll(), second);
        drain(job);
        drain(job);
        assertThat(projected("a")).containsExactly(3, 1, 4, 2);
        assertThat(job.status()).singleElement().satisfies(status -> {
            assertThat(status.position()).isEqualTo(4);
            assertThat(status.lag()).isZero();
            assertThat(status.missed()).isZero();
        });
        assertThat(heard).contains("a +2 lag 0");
    }

    @Test
    void aFailureKeepsThePositionAndIsHeardAndLaterEventsWait() {
        Recording model = new Recording("a");
        AtomicBoolean broken = new AtomicBoolean(true);
        model.before = number -> {
            if (number == 3 && broken.get()) {
                throw new IllegalStateException("three");
            }
        };
        Recording healthy = new Recording("b");
        ProjectionJob job = job(10, model, healthy);
        publish(1, 2, 3, 4);
        IntStream.range(0, 4).forEach(i -> finish(poll()));
        assertThatThrownBy(job::drainOneRound).isInstanceOf(ProjectionException.class)
            .hasMessageContaining("'a'")
            .hasMessageContaining("position 3")
            .hasMessageContaining("three");
        assertThat(projected("a")).as("rolled back with its position").isEmpty();
        assertThat(projected("b")).as("the other is not held up").containsExactly(1, 2, 3, 4);
        job.drainOneRound();
        assertThat(projected("a")).as("as far as it can get").containsExactly(1, 2);
        assertThatThrownBy(job::drainOneRound).isInstanceOf(ProjectionException.class);
        assertThatThrownBy(job::drainOneRound).isInstanceOf(ProjectionException.class);
        assertThat(projected("a")).containsExactly(1, 2);
        assertThat(job.status()).extracting(ProjectionStatus::lag).containsExactly(2L, 0L);
        assertThat(heard).filteredOn("a failed"::equals).hasSize(3);
        broken.set(false);
        drain(job);
        assertThat(projected("a")).containsExactly(1, 2, 3, 4);
    }

    @Test
    void oneNodeAtATimeWorksOnAProjection() throws Exception {
        Standstill standstill = new Standstill();
        Recording slow = new Recording("a");
        slow.before = number -> {
            standstill.here();
        };
        ProjectionJob one = job(1, slow);
        ProjectionJob other = job(1, new Recording("a"));
        publish(1, 2);
        finish(poll(), poll());
        standstill.bring(one);
        assertThat(other.drainOneRound()).as("it does not wait").isZero();
        standstill.end();
        assertThat(other.drainOneRound()).isEqualTo(1);
        assertThat(projected("a")).containsExactly(1, 2);
    }

    @Test
    void anEventWhoseFinalizationCommitsLateIsNotSkipped() throws Exception {
        ProjectionJob job = job(10, new Recording("a"));
        publish(1, 2);
        QueuedEvent late = poll();
        QueuedEvent early = poll();
        Thread[] competitor = new Thread[1];
        new TransactionTemplate(node.shard.transactionManager()).executeWithoutResult(status -> {
            finish(late);
            competitor[0] = Thread.ofVirtual().start(() -> finish(early));
            try {
                competitor[0].join(Duration.ofMillis(500));
            }
            catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            drain(job);
        });
        competitor[0].join();
        drain(job);
        assertThat(projected("a")).containsExactly(1, 2);
    }

    @Test
    void skipsAndRepeatsNothingWhenSeveralNodesFinalizeOutOfOrder() throws Exception {
        int events = 400;
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            nodes.add(opened(new Node(fresh.dataSource(), null, handlers().withHandler(Other.class, "h", event -> {
                if (ThreadLocalRandom.current().nextInt(4) == 0) {
                    return HandlerResult.transientError("later", Duration.ofMillis(20));
                }
                return HandlerResult.success();
            }).build())).start());
        }
        node = nodes.getFirst();
        Recording model = new Recording("a");
        Set<Integer> failed = ConcurrentHashMap.newKeySet();
        model.before = number -> {
            if (number % 50 == 0 && failed.add(number)) {
                throw new IllegalStateException("now and then");
            }
        };
        for (int i = 0; i < 3; i++) {
            job(7, model).start();
        }
        CountDownLatch published = new CountDownLatch(1);
        Set<Thread> workers = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 4; i++) {
            Node own = nodes.get(i % 3);
            workers.add(Thread.ofVirtual().start(() -> work(own, published)));
        }
        for (int i = 0; i < events; i += 2) {
            nodes.get(i % 3).queue.publish(new Placed(i));
            nodes.get(i % 3).queue.publish(new Other(i + 1));
        }
        published.countDown();
        for (Thread worker : workers) {
            worker.join();
        }
        await().atMost(Duration.ofMinutes(3))
            .until(() -> count(node, "SELECT count(*) FROM {event_log}") == events
                    && count(node, "SELECT position FROM {event_projections}") == events);
        assertThat(projected("a")).doesNotHaveDuplicates().hasSize(events);
        assertThat(new JdbcTemplate(fresh.dataSource()).queryForList("SELECT position FROM projected ORDER BY position",
                Long.class))
            .isEqualTo(IntStream.rangeClosed(1, events).mapToObj(Long::valueOf).toList());
        assertThat(projected("a")).as("not simply the order of publishing")
            .isNotEqualTo(IntStream.range(0, events).boxed().toList());
    }

    private static void work(Node own, CountDownLatch published) {
        String name = Thread.currentThread().toString();
        while (true) {
            boolean last = published.getCount() == 0;
            List<QueuedEvent> batch = new ArrayList<>(own.queue.pollBatch(Set.of(), name, 5));
            java.util.Collections.shuffle(batch);
            batch.forEach(event -> own.queue.finalizeEvent(event, List.of()));
            if (last && batch.isEmpty()) {
                return;
            }
        }
    }

    @Test
    void leavesOutWhatItDoesNotWantAndMovesOn() {
        Recording all = new Recording("all");
        Recording clean = new Recording("clean");
        clean.errors = false;
        Recording placed = new Recording("placed");
        placed.types = Set.of("Placed");
        ProjectionJob job = job(2, all, clean, placed);
        publish(1);
        finish(poll());
        publish(2);
        node.queue.finalizeEvent(poll(), List.of("partly"));
        node.queue.publish(new Placed(3), PublishOptions.none().maxRetries(1));
        node.queue.retry(poll(), "never", Duration.ZERO);
        node.queue.publish(new Other(4));
        finish(poll());
        drain(job);
        assertThat(projected("all")).containsExactly(1, 2, 4);
        assertThat(projected("clean")).containsExactly(1, 4);
        assertThat(projected("placed")).containsExactly(1, 2);
        assertThat(job.status()).extracting(ProjectionStatus::position).containsOnly(4L);
    }

    @Test
    void isBuiltAgainFromTheStartByReset() {
        ProjectionJob job = job(2, new Recording("a"), new Recording("b"));
        publish(1, 2, 3);
        finish(poll(), poll(), poll());
        drain(job);
        new JdbcTemplate(fresh.dataSource()).update("UPDATE projected SET number = 99");
        job.reset("a");
        assertThat(projected("a")).isEmpty();
        assertThat(job.status()).extracting(ProjectionStatus::position).containsExactly(0L, 3L);
        drain(job);
        assertThat(projected("a")).containsExactly(1, 2, 3);
        assertThat(projected("b")).containsExactly(99, 99, 99);
        assertThatThrownBy(() -> job.reset("c")).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("[a, b]");
    }

    @Test
    void aFailedResetLeavesEverythingAsItWas() {
        ProjectionJob job = job(2, new Recording("a") {
            @Override
            public void reset(ProjectionContext context) {
                super.reset(context);
                throw new IllegalStateException("no");
            }
        });
        publish(1);
        finish(poll());
        drain(job);
        assertThatThrownBy(() -> job.reset("a")).isInstanceOf(ProjectionException.class).hasMessageContaining("'a'");
        assertThat(projected("a")).containsExactly(1);
        assertThat(job.status().getFirst().position()).isEqualTo(1);
    }

    @Test
    void saysWhenTheLogWasPrunedBeforeItWasRead() {
        ProjectionJob job = job(10, new Recording("a"));
        publish(1, 2, 3);
        finish(poll());
        drain(job);
        finish(poll(), poll());
        clock.advance(Duration.ofDays(31));
        node.handling.prune();
        node.handling.prune();
        assertThat(count(node, "SELECT count(*) FROM {event_log}")).isZero();
        drain(job);
        assertThat(heard).contains("a missed 2");
        publish(4);
        finish(poll());
        drain(job);
        assertThat(projected("a")).containsExactly(1, 4);
        assertThat(job.status().getFirst().missed()).isEqualTo(2);
        assertThat(heard).filteredOn(line -> line.contains("missed")).hasSize(1);
    }

    @Test
    void anEventThatWasPrunedAfterItWasReadIsNotMissed() {
        ProjectionJob job = job(10, new Recording("a"));
        publish(1, 2);
        finish(poll(), poll());
        drain(job);
        clock.advance(Duration.ofDays(31));
        node.handling.prune();
        publish(3);
        finish(poll());
        drain(job);
        assertThat(projected("a")).containsExactly(1, 2, 3);
        assertThat(heard).noneMatch(line -> line.contains("missed"));
    }

    /** Or one that wants little would hold a transaction open for a whole long log. */
    @Test
    void looksAtABoundedStretchOfTheLogAtATime() {
        ProjectionJob job = job(10, new Recording("a"));
        new JdbcTemplate(fresh.dataSource())
            .update(node.database.sql("UPDATE {event_log_counter} SET position = 25000"));
        assertThat(IntStream.range(0, 4).mapToObj(i -> job.drainOneRound())).containsExactly(10_000, 10_000, 5_000, 0);
        assertThat(job.status().getFirst().lag()).isZero();
    }

    @Test
    void refusesNamesThatCannotBeToldApart() {
        assertThatThrownBy(() -> job(1, new Recording("a"), new Recording("a")))
            .isInstanceOf(InvalidProjectionException.class)
            .hasMessageContaining("'a'");
        assertThatThrownBy(() -> job(1, new Recording(" "))).isInstanceOf(InvalidProjectionException.class);
    }

    @Test
    void aFailedEventThatWasResetAndCompletedIsAppliedOnce() {
        ProjectionJob job = job(10, new Recording("a"));
        node.queue.publish(new Placed(1), PublishOptions.none().maxRetries(1));
        QueuedEvent failed = poll();
        node.queue.retry(failed, "x", Duration.ZERO);
        drain(job);
        node.queue.pullQueue().reset(failed.id(), "again");
        finish(poll());
        drain(job);
        assertThat(projected("a")).containsExactly(1);
        assertThat(Optional.of(job.status().getFirst().position())).contains(2L);
    }

}
