package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.eventqueue.AttemptAction;
import io.eventqueue.EventAttempt;
import io.eventqueue.EventHandlerRegistry.Builder;
import io.eventqueue.EventStateException;
import io.eventqueue.EventStatus;
import io.eventqueue.HandlerResult;
import io.eventqueue.InvalidEventException;
import io.eventqueue.LostClaimException;
import io.eventqueue.PublishOptions;
import io.eventqueue.QueuedEvent;
import io.eventqueue.UnknownEventException;
import io.eventqueue.outbox.EventFilter;
import io.eventqueue.outbox.EventPage;
import io.eventqueue.outbox.FailedAttempt;
import io.eventqueue.outbox.PollRequest;
import io.eventqueue.outbox.PullQueue;
import io.eventqueue.outbox.WorkReport;
import io.eventqueue.outbox.WorkerClaim;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionTemplate;

/** What workers may rely on, on whatever database the subclass names. */
abstract class PullContract extends DatabaseContract {

    record Job(int number) {
    }

    record Handled(int number) {
    }

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private Node node;

    PullContract(TestDatabase kind) {
        super(kind);
    }

    @BeforeEach
    void startWithoutHandlers() {
        node = node(handlers());
    }

    private static Builder handling(List<Integer> seen) {
        return handlers().withHandler(Handled.class, "handler", event -> {
            seen.add(event.number());
            return HandlerResult.success();
        });
    }

    private UUID publish(int number, String... tags) {
        return node.queue.publish(new Job(number), PublishOptions.none().tags(tags));
    }

    private int number(QueuedEvent event) {
        return node.queue.read(event, Job.class).number();
    }

    private QueuedEvent poll() {
        return node.queue.poll().orElseThrow();
    }

    private PullQueue workers() {
        return node.queue.pullQueue();
    }

    private QueuedEvent pollAs(String worker) {
        return node.queue.poll(Set.of(), worker).orElseThrow();
    }

    private static WorkerClaim claim(QueuedEvent event) {
        return new WorkerClaim(event.id(), String.valueOf(event.workerId()), null);
    }

    private long count(String sql) {
        return count(node, sql);
    }

    private List<AttemptAction> actions(UUID id) {
        return workers().audit(id).stream().map(EventAttempt::action).toList();
    }

    private EventStatus status(UUID id) {
        return node.queue.find(id).orElseThrow().status();
    }

    // ---- poll

    @Test
    void returnsTheNextEventInItsNewStateAndEmptyWhenThereIsNone() {
        UUID id = publish(1);
        QueuedEvent polled = node.queue.poll(Set.of(), "w1").orElseThrow();
        assertThat(polled.id()).isEqualTo(id);
        assertThat(polled.status()).isEqualTo(EventStatus.PROCESSING);
        assertThat(polled.attempts()).isEqualTo(1);
        assertThat(polled.workerId()).isEqualTo("w1");
        assertThat(polled.updatedAt()).isEqualTo(clock.instant());
        assertThat(number(polled)).isEqualTo(1);
        assertThat(node.queue.poll()).isEmpty();
        assertThat(polled).isEqualTo(node.queue.find(id).orElseThrow());
    }

    @Test
    void handsOutTheOldestFirstAlsoAmongTypes() {
        publish(1);
        clock.advance(Duration.ofSeconds(1));
        node.queue.publish(new Handled(2));
        clock.advance(Duration.ofSeconds(1));
        publish(3);
        assertThat(List.of(poll().eventType(), poll().eventType(), poll().eventType())).containsExactly("Job",
                "Handled", "Job");
    }

    @Test
    void leavesAnEventAloneUntilItIsDue() {
        node.queue.publish(new Job(1), PublishOptions.none().delay(MINUTE).tags("t"));
        assertThat(node.queue.poll()).isEmpty();
        assertThat(node.queue.poll(Set.of("t"), "w")).isEmpty();
        clock.advance(MINUTE);
        assertThat(node.queue.poll(Set.of("t"), "w")).isPresent();
    }

    @Test
    void polledByTagsGivesEventsThatHaveAnyOfThemExactly() {
        publish(1, "mail");
        publish(2, "MAIL", "mailing");
        publish(3);
        publish(4, "print", "mail");
        List<Integer> polled = node.queue.pollBatch(Set.of("mail", "print", "nothing"), "w", 10)
            .stream()
            .map(this::number)
            .toList();
        assertThat(polled).containsExactlyInAnyOrder(1, 4);
        assertThat(node.queue.pollBatch(Set.of(), "w", 10).stream().map(this::number)).containsExactlyInAnyOrder(2, 3);
    }

    @Test
    void aBatchTakesWhatThereIsUpToItsSize() {
        IntStream.range(0, 5).forEach(i -> publish(i, "t"));
        node.queue.publish(new Handled(5));
        assertThat(node.queue.pollBatch(Set.of(), "w", 2)).hasSize(2);
        assertThat(node.queue.pollBatch(Set.of("t"), "w", 2)).hasSize(2);
        assertThat(node.queue.pollBatch(Set.of(), "w", 10)).hasSize(2);
        assertThat(node.queue.pollBatch(Set.of(), "w", 10)).isEmpty();
    }

    @Test
    void refusesPollsThatCannotWork() {
        assertThatThrownBy(() -> node.queue.poll(Set.of(), " ")).isInstanceOf(InvalidEventException.class)
            .hasMessageContaining("worker id");
        assertThatThrownBy(() -> node.queue.pollBatch(Set.of(), "w", 0)).isInstanceOf(InvalidEventException.class);
        assertThatThrownBy(() -> new PollRequest(Set.of(), "w", 1, Duration.ZERO))
            .isInstanceOf(InvalidEventException.class);
    }

    @Test
    void doesNotWaitForAnEventSomebodyElseHasLocked() {
        UUID first = publish(1, "t");
        publish(2, "t");
        new TransactionTemplate(node.shard.transactionManager()).executeWithoutResult(status -> {
            node.database.query("SELECT id FROM {events} WHERE id = :id FOR UPDATE",
                    Map.of("id", node.database.dialect().id(first)), (rs, row) -> row);
            assertThat(number(poll())).isEqualTo(2);
            assertThat(node.queue.poll()).isEmpty();
            assertThat(node.queue.poll(Set.of("t"), "w")).isEmpty();
        });
        assertThat(number(node.queue.poll(Set.of("t"), "w").orElseThrow())).isEqualTo(1);
    }

    // ---- workers and handlers

    @Test
    void eventsOfHandlersAreNotPolledAndPolledEventsAreNotFannedOut() {
        List<Integer> seen = new CopyOnWriteArrayList<>();
        Node handling = node(handling(seen));
        handling.fanout.drainOneRound();
        node.queue.publish(new Handled(1), PublishOptions.none().tags("t"));
        publish(2, "t");
        assertThat(number(poll())).isEqualTo(2);
        assertThat(node.queue.poll()).as("not yet fanned out").isEmpty();
        assertThat(node.queue.poll(Set.of("t"), "w")).isEmpty();
        handling.fanout.drainOneRound();
        assertThat(node.queue.poll()).as("fanned out").isEmpty();
        assertThat(node.queue.poll(Set.of("t"), "w")).isEmpty();
        handling.drain();
        assertThat(seen).containsExactly(1);
    }

    @Test
    void aHandlerDeployedLaterGetsAnEventOnlyWhenTheWorkerDoesNotFinishIt() {
        UUID finished = node.queue.publish(new Handled(1));
        UUID dropped = node.queue.publish(new Handled(2));
        UUID released = node.queue.publish(new Handled(3));
        List<QueuedEvent> polled = node.queue.pollBatch(Set.of(), "w", 3);
        List<Integer> seen = new CopyOnWriteArrayList<>();
        Node handling = node(handling(seen));
        handling.drain();
        assertThat(seen).isEmpty();
        node.queue.finalizeEvent(finished, List.of());
        node.queue.release(polled.get(2), Duration.ZERO);
        handling.drain();
        assertThat(seen).containsExactly(3);
        assertThat(status(released)).isEqualTo(EventStatus.COMPLETED);
        clock.advance(MINUTE);
        handling.drain();
        assertThat(seen).containsExactly(3, 2);
        assertThat(status(dropped)).isEqualTo(EventStatus.COMPLETED);
    }

    // ---- finalize

    @Test
    void finalizingMovesTheEventToTheLogAndRepeatingItChangesNothing() {
        UUID good = publish(1, "t");
        node.queue.finalizeEvent(poll(), List.of());
        UUID bad = publish(2);
        QueuedEvent polled = poll();
        node.queue.finalizeEvent(polled, List.of("no such \"customer\"", "and more"));
        node.queue.finalizeEvent(polled, List.of());
        node.queue.finalizeEvent(good, List.of("late"));
        assertThat(status(good)).isEqualTo(EventStatus.COMPLETED);
        assertThat(node.queue.find(good).orElseThrow().errors()).isNull();
        assertThat(status(bad)).isEqualTo(EventStatus.COMPLETED_WITH_ERRORS);
        assertThat(node.queue.find(bad).orElseThrow().errors()).contains("customer").contains("and more");
        assertThat(node.queue.find(bad).orElseThrow().attempts()).isEqualTo(1);
        assertThat(actions(bad)).containsExactly(AttemptAction.PICKED, AttemptAction.COMPLETED);
        assertThat(count("SELECT count(*) FROM {events}")).isZero();
        assertThat(count("SELECT max(position) FROM {event_log}")).isEqualTo(2);
        assertThat(count("SELECT count(*) FROM {event_tags} WHERE available_at IS NOT NULL")).isZero();
    }

    @Test
    void callersWhoRaceToFinalizeWriteItOnce() throws Exception {
        for (int round = 0; round < 20; round++) {
            publish(round);
            QueuedEvent polled = poll();
            inParallel(4, i -> {
                node.queue.finalizeEvent(polled, List.of());
                return true;
            });
            assertThat(actions(polled.id())).containsExactly(AttemptAction.PICKED, AttemptAction.COMPLETED);
        }
        assertThat(count("SELECT count(*) FROM {event_log}")).isEqualTo(20);
        assertThat(count("SELECT position FROM {event_log_counter}")).isEqualTo(20);
    }

    @Test
    void anIdThatNeverExistedIsAnError() {
        UUID unknown = UUID.randomUUID();
        WorkerClaim claim = new WorkerClaim(unknown, "w", 1);
        assertThatThrownBy(() -> node.queue.finalizeEvent(unknown, List.of())).isInstanceOf(UnknownEventException.class)
            .hasMessageContaining(unknown.toString());
        assertThatThrownBy(() -> workers().fail(claim, "x", MINUTE, WorkReport.NONE))
            .isInstanceOf(UnknownEventException.class);
        assertThatThrownBy(() -> workers().heartbeat(claim, MINUTE)).isInstanceOf(UnknownEventException.class);
        assertThatThrownBy(() -> workers().reset(unknown, "x")).isInstanceOf(UnknownEventException.class);
    }

    @Test
    void anEventNobodyClaimedCannotBeFinalized() {
        UUID id = publish(1);
        assertThatThrownBy(() -> node.queue.finalizeEvent(id, List.of())).isInstanceOf(LostClaimException.class)
            .hasMessageContaining("PENDING");
        assertThat(node.queue.poll()).isPresent();
    }

    @Test
    void finalizingIsPartOfTheCallersTransaction() {
        UUID id = publish(1);
        QueuedEvent polled = poll();
        new TransactionTemplate(node.shard.transactionManager()).executeWithoutResult(status -> {
            node.queue.finalizeEvent(polled, List.of());
            status.setRollbackOnly();
        });
        assertThat(status(id)).isEqualTo(EventStatus.PROCESSING);
        new TransactionTemplate(node.shard.transactionManager()).executeWithoutResult(status -> {
            node.queue.publish(new Job(2));
            node.queue.finalizeEvent(polled, List.of());
        });
        assertThat(status(id)).isEqualTo(EventStatus.COMPLETED);
        assertThat(number(poll())).isEqualTo(2);
    }

    // ---- leases

    @Test
    void anAbandonedEventIsHandedOutAgainAndItsFormerWorkerCannotFinalizeIt() {
        UUID id = publish(1, "t");
        QueuedEvent lost = pollAs("w1");
        clock.advance(MINUTE.minusMillis(1));
        assertThat(node.queue.poll()).as("while the lease lasts").isEmpty();
        clock.advance(Duration.ofMillis(1));
        QueuedEvent taken = node.queue.poll(Set.of("t"), "w2").orElseThrow();
        assertThat(taken.id()).isEqualTo(id);
        assertThat(taken.attempts()).isEqualTo(2);
        assertThatThrownBy(() -> node.queue.finalizeEvent(lost, List.of())).isInstanceOf(LostClaimException.class)
            .hasMessageContaining("w2");
        assertThatThrownBy(() -> node.queue.release(lost, MINUTE)).isInstanceOf(LostClaimException.class);
        assertThatThrownBy(() -> node.queue.heartbeat(lost)).isInstanceOf(LostClaimException.class);
        assertThatThrownBy(() -> node.queue.retry(lost, "too late", MINUTE))
            .as("the failure on record is not the worker's report")
            .isInstanceOf(LostClaimException.class);
        assertThat(node.fenced).hasValue(4);
        assertThat(status(id)).isEqualTo(EventStatus.PROCESSING);
        node.queue.finalizeEvent(taken, List.of());
        assertThat(actions(id)).containsExactly(AttemptAction.PICKED, AttemptAction.FAILED, AttemptAction.PICKED,
                AttemptAction.COMPLETED);
    }

    @Test
    void twoClaimsOfOneWorkerAreToldApartByTheirAttempt() {
        publish(1);
        QueuedEvent first = pollAs("w");
        clock.advance(MINUTE);
        QueuedEvent second = pollAs("w");
        assertThatThrownBy(() -> node.queue.finalizeEvent(first, List.of())).isInstanceOf(LostClaimException.class);
        node.queue.finalizeEvent(second, List.of());
    }

    @Test
    void aHeartbeatKeepsTheClaim() {
        publish(1);
        QueuedEvent polled = poll();
        for (int i = 0; i < 5; i++) {
            clock.advance(Duration.ofSeconds(50));
            assertThat(node.queue.heartbeat(polled)).isEqualTo(clock.instant().plus(MINUTE));
            assertThat(node.queue.poll()).isEmpty();
        }
        node.queue.finalizeEvent(polled, List.of());
        assertThatThrownBy(() -> node.queue.heartbeat(polled)).isInstanceOf(LostClaimException.class);
    }

    @Test
    void aWorkerThatDiesBetweenPollAndFinalizeCostsAnAttempt() {
        UUID id = node.queue.publish(new Job(1), PublishOptions.none().maxRetries(2));
        poll();
        clock.advance(MINUTE);
        QueuedEvent second = poll();
        assertThat(second.retryCount()).isEqualTo(1);
        clock.advance(MINUTE);
        assertThat(node.queue.poll()).isEmpty();
        QueuedEvent failed = node.queue.find(id).orElseThrow();
        assertThat(failed.status()).isEqualTo(EventStatus.FAILED);
        assertThat(failed.errors()).contains("lease");
        assertThat(failed.retryCount()).isEqualTo(2);
    }

    // ---- retry

    @Test
    void aFailedAttemptIsRepeatedAfterItsDelayUntilAttemptsAreUsedUp() {
        UUID id = node.queue.publish(new Job(1), PublishOptions.none().maxRetries(3).tags("t"));
        for (int attempt = 1; attempt <= 2; attempt++) {
            QueuedEvent polled = node.queue.poll(Set.of("t"), "w").orElseThrow();
            assertThat(polled.attempts()).isEqualTo(attempt);
            assertThat(polled.retryCount()).isEqualTo(attempt - 1);
            assertThat(node.queue.retry(polled, "try " + attempt, MINUTE)).isEqualTo(EventStatus.PENDING);
            clock.advance(MINUTE.minusMillis(1));
            assertThat(node.queue.poll()).isEmpty();
            assertThat(node.queue.poll(Set.of("t"), "w")).isEmpty();
            clock.advance(Duration.ofMillis(1));
        }
        QueuedEvent last = poll();
        assertThat(node.queue.retry(last, "third", MINUTE)).isEqualTo(EventStatus.FAILED);
        assertThat(node.queue.retry(last, "third again", MINUTE)).isEqualTo(EventStatus.FAILED);
        QueuedEvent failed = node.queue.find(id).orElseThrow();
        assertThat(failed.status()).isEqualTo(EventStatus.FAILED);
        assertThat(failed.retryCount()).isEqualTo(3);
        assertThat(failed.errors()).contains("third").doesNotContain("again");
        assertThat(node.queue.poll()).isEmpty();
        assertThat(workers().audit(id)).filteredOn(line -> line.action() == AttemptAction.FAILED)
            .extracting(EventAttempt::error)
            .containsExactly("try 1", "try 2", "third");
    }

    @Test
    void aReleasedEventIsDueAfterItsDelayAndNotCountedAsFailed() {
        publish(1, "t");
        node.queue.release(poll(), MINUTE);
        assertThat(node.queue.poll(Set.of("t"), "w")).isEmpty();
        clock.advance(MINUTE);
        QueuedEvent again = node.queue.poll(Set.of("t"), "w").orElseThrow();
        assertThat(again.retryCount()).isZero();
        assertThat(again.attempts()).isEqualTo(2);
    }

    // ---- what the worker API needs

    @Test
    void completeAndFailAnswerRepetitionsWithTheFirstRecord() {
        publish(1);
        QueuedEvent polled = pollAs("w");
        FailedAttempt failed = workers().fail(claim(polled), "down", MINUTE, new WorkReport(503, 8000L));
        assertThat(failed.retryScheduled()).isTrue();
        assertThat(failed.attempt().retryAt()).isEqualTo(clock.instant().plus(MINUTE));
        assertThat(failed.retryCount()).isEqualTo(1);
        clock.advance(MINUTE);
        assertThat(workers().fail(claim(polled), "down", MINUTE, new WorkReport(503, 8000L))).isEqualTo(failed);
        QueuedEvent other = pollAs("other");
        assertThat(workers().fail(claim(polled), "down", MINUTE, WorkReport.NONE).attempt())
            .isEqualTo(failed.attempt());
        assertThatThrownBy(() -> workers().complete(claim(polled), List.of(), WorkReport.NONE))
            .isInstanceOf(LostClaimException.class);
        EventAttempt started = workers().start(claim(other));
        assertThat(workers().start(claim(other))).isEqualTo(started);
        EventAttempt completed = workers().complete(claim(other), List.of(), new WorkReport(200, 1250L));
        assertThat(completed.statusCode()).isEqualTo(200);
        assertThat(completed.executionTimeMs()).isEqualTo(1250L);
        assertThat(workers().complete(claim(other), List.of(), WorkReport.NONE)).isEqualTo(completed);
        assertThatThrownBy(() -> workers().complete(claim(polled), List.of(), WorkReport.NONE))
            .isInstanceOf(LostClaimException.class);
        assertThat(actions(polled.id())).containsExactly(AttemptAction.PICKED, AttemptAction.FAILED,
                AttemptAction.PICKED, AttemptAction.STARTED, AttemptAction.COMPLETED);
    }

    @Test
    void resetMakesAnEventAvailableAtOnce() {
        UUID id = node.queue.publish(new Job(1), PublishOptions.none().maxRetries(2).tags("t"));
        QueuedEvent first = pollAs("w");
        workers().reset(id, "stuck");
        assertThatThrownBy(() -> node.queue.finalizeEvent(first, List.of())).isInstanceOf(LostClaimException.class);
        node.queue.retry(pollAs("w"), "x", Duration.ofHours(1));
        workers().reset(id, "no need to wait");
        QueuedEvent third = node.queue.poll(Set.of("t"), "w").orElseThrow();
        assertThat(third.retryCount()).isEqualTo(1);
        assertThat(node.queue.retry(third, "y", MINUTE)).isEqualTo(EventStatus.FAILED);
        EventAttempt reset = workers().reset(id, "once more");
        assertThat(reset.action()).isEqualTo(AttemptAction.RESET);
        assertThat(reset.error()).isEqualTo("once more");
        QueuedEvent again = node.queue.poll(Set.of("t"), "w").orElseThrow();
        assertThat(again.retryCount()).isZero();
        assertThat(again.attempts()).isEqualTo(4);
        node.queue.finalizeEvent(again, List.of());
        assertThatThrownBy(() -> workers().reset(id, "x")).isInstanceOf(EventStateException.class)
            .hasMessageContaining("COMPLETED");
        assertThat(count("SELECT count(*) FROM {event_log}")).isEqualTo(1);
    }

    @Test
    void listsLiveAndFinalizedEventsWithTheTrueTotal() {
        for (int i = 0; i < 7; i++) {
            publish(i, i % 2 == 0 ? "even" : "odd", "all");
        }
        IntStream.range(0, 3).forEach(i -> node.queue.finalizeEvent(poll(), List.of()));
        node.queue.retry(node.queue.poll().orElseThrow(), "x", MINUTE);
        poll();
        EventPage all = workers().list(new EventFilter(Set.of(), Set.of(), 3, 2));
        assertThat(all.total()).isEqualTo(7);
        assertThat(all.events().stream().map(this::number)).containsExactly(4, 3, 2);
        EventPage done = workers().list(new EventFilter(Set.of(EventStatus.COMPLETED), Set.of(), 2, 0));
        assertThat(done.total()).isEqualTo(3);
        assertThat(done.events().stream().map(this::number)).containsExactly(2, 1);
        EventPage even = workers()
            .list(new EventFilter(Set.of(EventStatus.COMPLETED, EventStatus.PENDING), Set.of("even", "x"), 10, 0));
        assertThat(even.events().stream().map(this::number)).containsExactly(6, 2, 0);
        assertThat(even.total()).isEqualTo(3);
    }

    // ---- many at once

    @Test
    void eightPollersTakeFiveThousandEventsOnceEach() throws Exception {
        for (int from = 0; from < 5000; from += 1000) {
            node.queue.publishAll(IntStream.range(from, from + 1000).mapToObj(Job::new).toList());
        }
        Map<UUID, String> taken = new ConcurrentHashMap<>();
        AtomicInteger polled = new AtomicInteger();
        inParallel(8, worker -> {
            int size = worker % 2 == 0 ? 1 : 20;
            for (List<QueuedEvent> batch = next(worker, size); !batch.isEmpty(); batch = next(worker, size)) {
                for (QueuedEvent event : batch) {
                    polled.incrementAndGet();
                    taken.put(event.id(), "w" + worker);
                }
            }
            return true;
        });
        assertThat(polled).as("each once").hasValue(5000);
        assertThat(taken).hasSize(5000);
        assertThat(count("SELECT count(*) FROM {events} WHERE status = 'PROCESSING' AND attempts = 1")).isEqualTo(5000);
        assertThat(node.queue.poll()).isEmpty();
    }

    private List<QueuedEvent> next(int worker, int size) {
        return node.queue.pollBatch(Set.of(), "w" + worker, size);
    }

    @Test
    void abandonedEventsAreTakenOverAmidNewOnes() throws Exception {
        Set<UUID> wanted = ConcurrentHashMap.newKeySet();
        IntStream.range(0, 50).forEach(i -> wanted.add(publish(i, "t")));
        node.queue.pollBatch(Set.of(), "dies", 50);
        clock.advance(MINUTE);
        Set<UUID> done = ConcurrentHashMap.newKeySet();
        CountDownLatch published = new CountDownLatch(1);
        inParallel(5, worker -> {
            if (worker == 0) {
                IntStream.range(50, 300).forEach(i -> wanted.add(publish(i, "t")));
                published.countDown();
                return true;
            }
            while (published.getCount() > 0 || done.size() < 300) {
                Optional<QueuedEvent> event = node.queue.poll(worker % 2 == 0 ? Set.of("t") : Set.of(), "w" + worker);
                event.ifPresent(e -> {
                    node.queue.finalizeEvent(e, List.of());
                    done.add(e.id());
                });
            }
            return true;
        });
        assertThat(done).isEqualTo(wanted);
        assertThat(count("SELECT count(*) FROM {event_log} WHERE status = 'COMPLETED'")).isEqualTo(300);
        assertThat(count("SELECT count(*) FROM {event_log} WHERE attempts = 2")).isEqualTo(50);
        assertThat(count("SELECT count(*) FROM {events}")).isZero();
    }

    private static void inParallel(int threads, java.util.function.IntFunction<Boolean> work) throws Exception {
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Callable<Boolean>> calls = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int worker = i;
                calls.add(() -> work.apply(worker));
            }
            for (Future<Boolean> result : executor.invokeAll(calls)) {
                assertThat(result.get()).isTrue();
            }
        }
    }

}
