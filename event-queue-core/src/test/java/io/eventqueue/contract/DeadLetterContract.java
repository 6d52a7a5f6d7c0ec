package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.DeadLetter;
import io.eventqueue.DeadLetterFilter;
import io.eventqueue.DeadLetters;
import io.eventqueue.EventStatus;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerResult;
import io.eventqueue.NotificationState;
import io.eventqueue.QueuedEvent;
import io.eventqueue.RetryPolicy;
import io.eventqueue.UnrecoverableEventException;
import io.eventqueue.handling.StoredDeadLetters;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What an operator can do with deliveries the engine has given up on. */
abstract class DeadLetterContract extends DatabaseContract {

    record Placed(int number) {
    }

    record Shipped(int number) {
    }

    private final List<Integer> seen = new CopyOnWriteArrayList<>();

    private volatile boolean broken = true;

    DeadLetterContract(TestDatabase kind) {
        super(kind);
    }

    /** Fails for good while {@link #broken}. */
    private HandlerResult handle(int number) {
        if (broken) {
            return HandlerResult.unrecoverableError("no stock of 100% for " + number);
        }
        seen.add(number);
        return HandlerResult.success();
    }

    private Node shop() {
        return node(handlers().withHandler(Placed.class, "reserve", event -> handle(event.number()))
            .withHandler(Shipped.class, "invoice", event -> handle(event.number())));
    }

    private static DeadLetters lettersOf(Node node) {
        return new StoredDeadLetters(List.of(node.database));
    }

    private DeadLetter onlyLetter(Node node) {
        List<DeadLetter> letters = lettersOf(node).list(DeadLetterFilter.all());
        assertThat(letters).hasSize(1);
        return letters.getFirst();
    }

    private static QueuedEvent logged(Node node, UUID id) {
        return node.queue.find(id).orElseThrow();
    }

    @Test
    void listsNewestFirstPageByPageAndByFilter() {
        Node node = shop();
        for (int i = 0; i < 5; i++) {
            node.queue.publish(i % 2 == 0 ? new Placed(i) : new Shipped(i));
            clock.advance(Duration.ofSeconds(1));
            node.drain();
        }
        DeadLetters letters = lettersOf(node);
        DeadLetterFilter all = DeadLetterFilter.all();

        List<DeadLetter> paged = new ArrayList<>();
        List<DeadLetter> page = letters.list(all.limit(2));
        while (!page.isEmpty()) {
            paged.addAll(page);
            page = letters.list(all.limit(2).after(page.getLast()));
        }
        assertThat(paged).extracting(DeadLetter::error)
            .containsExactly("no stock of 100% for 4", "no stock of 100% for 3", "no stock of 100% for 2",
                    "no stock of 100% for 1", "no stock of 100% for 0");

        assertThat(letters.count(all)).isEqualTo(5);
        assertThat(letters.count(all.handler("reserve"))).isEqualTo(3);
        assertThat(letters.count(all.eventType("Shipped"))).isEqualTo(2);
        assertThat(letters.count(all.error("100% for 3"))).isEqualTo(1);
        assertThat(letters.count(all.error("100_ for"))).as("no wildcards").isZero();
        assertThat(letters.count(all.state(NotificationState.EXPIRED))).isZero();
        assertThat(letters.count(all.since(clock.instant().minusSeconds(1)))).isEqualTo(2);
        assertThat(letters.count(all.until(clock.instant().minusSeconds(1)))).isEqualTo(3);
        DeadLetter newest = paged.getFirst();
        assertThat(letters.find(newest.id())).contains(newest);
        assertThat(newest.shard()).isEqualTo("main");
        assertThat(newest.attempts()).isEqualTo(1);
        assertThat(newest.endedAt()).isEqualTo(clock.instant());
    }

    @Test
    void aReplayedOneOfAFinalizedEventRunsAgainAndClearsTheLog() {
        Node node = node(handlers().withHandler(Placed.class, "reserve", event -> handle(event.number()))
            .withHandler(Placed.class, "other", event -> HandlerResult.success()));
        UUID event = node.queue.publish(new Placed(1));
        node.drain();
        assertThat(logged(node, event).status()).isEqualTo(EventStatus.COMPLETED_WITH_ERRORS);
        List<Object> position = column(node, "SELECT position FROM {event_log}");
        broken = false;
        clock.advance(Duration.ofDays(20));

        assertThat(lettersOf(node).replay(onlyLetter(node).id(), "ann")).isTrue();
        assertThat(lettersOf(node).list(DeadLetterFilter.all())).isEmpty();
        node.drain();

        assertThat(seen).as("it has the whole retention window again").containsExactly(1);
        assertThat(logged(node, event).status()).isEqualTo(EventStatus.COMPLETED);
        assertThat(logged(node, event).errors()).isNull();
        assertThat(column(node, "SELECT position FROM {event_log}")).isEqualTo(position);
        assertThat(rows(node, "SELECT * FROM {event_attempts} WHERE action = 'REPLAYED'")).singleElement()
            .satisfies(row -> {
                assertThat(row.get("worker_id")).isEqualTo("ann");
                assertThat(row.get("handler_name")).isEqualTo("reserve");
                assertThat((String) row.get("error_message")).contains("no stock");
            });
    }

    @Test
    void aReplayedOneOfALiveEventIsFinalizedWithIt() {
        Node node = node(handlers().withHandler(Placed.class, "reserve", event -> handle(event.number()))
            .withHandler(Placed.class, "waiting", event -> HandlerResult.transientError("later", null)));
        UUID event = node.queue.publish(new Placed(1));
        node.drain();
        broken = false;
        assertThat(lettersOf(node).replay(onlyLetter(node).id(), "ann")).isTrue();
        node.drain();
        assertThat(seen).containsExactly(1);
        assertThat(logged(node, event).status()).as("the other handler is not done").isEqualTo(EventStatus.DELIVERED);
        clock.advance(Duration.ofDays(8));
        node.drain();
        assertThat(logged(node, event).errors()).contains("waiting").doesNotContain("reserve");
    }

    @Test
    void oneThatFailsAgainIsADeadLetterAgainWithAllItsAttempts() {
        Node node = node(handlers().withHandler(HandlerDefinition.builder("twice", Placed.class, envelope -> {
            seen.add(envelope.attempt());
            return HandlerResult.transientError("again", Duration.ofSeconds(1));
        }).retryPolicy(RetryPolicy.inherited().withMaxAttempts(2)).build()));
        UUID event = node.queue.publish(new Placed(1));
        node.drain();
        clock.advance(Duration.ofSeconds(1));
        node.drain();
        assertThat(lettersOf(node).replay(onlyLetter(node).id(), "ann")).isTrue();
        node.drain();
        assertThat(states(node)).as("one of two attempts").containsExactly("FAILED");
        clock.advance(Duration.ofSeconds(1));
        node.drain();
        assertThat(onlyLetter(node).attempts()).isEqualTo(4);
        assertThat(onlyLetter(node).replayed()).isTrue();
        assertThat(seen).as("attempts go on counting").containsExactly(1, 2, 3, 4);
        assertThat(logged(node, event).status()).isEqualTo(EventStatus.COMPLETED_WITH_ERRORS);
    }

    @Test
    void anExpiredOneCanBeReplayed() {
        Node node = shop();
        broken = false;
        UUID event = node.queue.publish(new Placed(1));
        node.fanout.drainOneRound();
        clock.advance(Duration.ofDays(8));
        node.drain();
        assertThat(onlyLetter(node).state()).isEqualTo(NotificationState.EXPIRED);
        lettersOf(node).replay(onlyLetter(node).id(), "ann");
        node.drain();
        assertThat(seen).containsExactly(1);
        assertThat(logged(node, event).status()).isEqualTo(EventStatus.COMPLETED);
    }

    @Test
    void oneOfAHandlerThatRunsAtMostOnceRunsAgainWhenReplayed() {
        Node node = node(handlers().withHandler(HandlerDefinition
            .builder("mail", Placed.class, envelope -> handle(((Placed) envelope.event()).number()))
            .idempotent(false)
            .build()));
        node.queue.publish(new Placed(1));
        node.drain();
        broken = false;
        lettersOf(node).replay(onlyLetter(node).id(), "ann");
        node.drain();
        assertThat(seen).containsExactly(1);
    }

    @Test
    void replaysAllThatMatchInBatches() {
        Node node = shop();
        node.queue.publishAll(IntStream.range(0, 1200).mapToObj(Placed::new).toList());
        node.queue.publish(new Shipped(0));
        node.drain();
        broken = false;
        DeadLetterFilter reserve = DeadLetterFilter.all().handler("reserve");
        assertThat(lettersOf(node).replay(reserve.error("for 7").limit(3), "ann")).isEqualTo(3);
        node.drain();
        assertThat(seen).hasSize(3);
        assertThat(lettersOf(node).replay(reserve, "ann")).isEqualTo(1197);
        node.drain();
        assertThat(seen).hasSize(1200);
        assertThat(onlyLetter(node).handler()).isEqualTo("invoice");
        assertThat(count(node, "SELECT count(*) FROM {event_log} WHERE status = 'COMPLETED'")).isEqualTo(1200);
    }

    /** Three of one handler, one of another, with everything mended. */
    private Node mended() {
        Node node = shop();
        node.queue.publishAll(List.of(new Placed(1), new Placed(2), new Placed(3), new Shipped(4)));
        node.drain();
        broken = false;
        return node;
    }

    private static List<Object> audit(Node node) {
        return rows(node, """
                SELECT action, worker_id, handler_name, error_message FROM {event_attempts}
                WHERE action IN ('REPLAYED', 'DISCARDED') ORDER BY error_message""").stream()
            .<Object>map(row -> row.get("action") + " by " + row.get("worker_id") + ": " + row.get("handler_name")
                    + ", " + row.get("error_message"))
            .toList();
    }

    @Test
    void replaysOne() {
        Node node = mended();
        UUID id = lettersOf(node).list(DeadLetterFilter.all().error("for 2")).getFirst().id();
        assertThat(lettersOf(node).replay(id, "ann")).isTrue();
        assertThat(lettersOf(node).replay(id, "ann")).as("no dead letter any more").isFalse();
        node.drain();
        assertThat(seen).containsExactly(2);
        assertThat(audit(node)).containsExactly("REPLAYED by ann: reserve, no stock of 100% for 2");
    }

    @Test
    void replaysByHandler() {
        Node node = mended();
        assertThat(lettersOf(node).replay(DeadLetterFilter.all().handler("reserve"), "ann")).isEqualTo(3);
        node.drain();
        assertThat(seen).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(audit(node)).containsExactly("REPLAYED by ann: reserve, no stock of 100% for 1",
                "REPLAYED by ann: reserve, no stock of 100% for 2", "REPLAYED by ann: reserve, no stock of 100% for 3");
    }

    @Test
    void replaysByError() {
        Node node = mended();
        assertThat(lettersOf(node).replay(DeadLetterFilter.all().error("100% for 4"), "ann")).isEqualTo(1);
        node.drain();
        assertThat(seen).containsExactly(4);
        assertThat(audit(node)).containsExactly("REPLAYED by ann: invoice, no stock of 100% for 4");
    }

    @Test
    void replaysAll() {
        Node node = mended();
        assertThat(lettersOf(node).replay(DeadLetterFilter.all(), "ann")).isEqualTo(4);
        node.drain();
        assertThat(seen).containsExactlyInAnyOrder(1, 2, 3, 4);
        assertThat(audit(node)).hasSize(4);
        assertThat(lettersOf(node).count(DeadLetterFilter.all())).isZero();
    }

    @Test
    void discardsOne() {
        Node node = mended();
        UUID id = lettersOf(node).list(DeadLetterFilter.all().error("for 2")).getFirst().id();
        assertThat(lettersOf(node).discard(id, "ann")).isTrue();
        node.drain();
        assertThat(seen).isEmpty();
        assertThat(lettersOf(node).count(DeadLetterFilter.all())).isEqualTo(3);
        assertThat(audit(node)).containsExactly("DISCARDED by ann: reserve, no stock of 100% for 2");
    }

    @Test
    void discardsByAgeAndByHandler() {
        Node node = mended();
        assertThat(lettersOf(node).discard(DeadLetterFilter.all().until(clock.instant().minusSeconds(1)), "ann"))
            .isZero();
        assertThat(lettersOf(node).discard(DeadLetterFilter.all().handler("reserve"), "ann")).isEqualTo(3);
        assertThat(onlyLetter(node).handler()).isEqualTo("invoice");
        assertThat(audit(node)).hasSize(3);
    }

    /** What docs/dead-letters.md shows. */
    @Test
    void decidesAsThePageShows() {
        Node node = node(handlers().withHandler(Placed.class, "reserve", event -> {
            throw new UnrecoverableEventException("OutOfStock: " + event.number());
        }));
        node.queue.publishAll(List.of(new Placed(1), new Placed(2), new Placed(3)));
        node.drain();
        Instant lastWeek = clock.instant();
        clock.advance(Duration.ofDays(7));
        DeadLetters deadLetters = lettersOf(node);

        List<DeadLetter> letters = deadLetters.list(DeadLetterFilter.all().handler("reserve").error("OutOfStock"));
        deadLetters.replay(letters.getFirst().id(), "ann");
        deadLetters.replay(DeadLetterFilter.all().handler("reserve"), "ann");
        deadLetters.discard(DeadLetterFilter.all().eventType("Placed").until(lastWeek), "ann");

        assertThat(letters).hasSize(3);
        assertThat(states(node)).containsOnly("PENDING");
    }

    @Test
    void aDiscardedOneIsGoneAndStaysAnErrorOfItsEvent() {
        Node node = shop();
        UUID event = node.queue.publish(new Placed(1));
        node.queue.publish(new Placed(2));
        node.drain();
        DeadLetters letters = lettersOf(node);
        UUID id = letters.list(DeadLetterFilter.all().error("for 1")).getFirst().id();
        assertThat(letters.discard(id, "ann")).isTrue();
        assertThat(letters.discard(id, "ann")).as("already done").isFalse();
        assertThat(letters.replay(id, "ann")).isFalse();
        assertThat(letters.discard(DeadLetterFilter.all(), "bob")).isEqualTo(1);
        assertThat(letters.list(DeadLetterFilter.all())).isEmpty();
        assertThat(logged(node, event).status()).isEqualTo(EventStatus.COMPLETED_WITH_ERRORS);
        assertThat(column(node, "SELECT worker_id FROM {event_attempts} WHERE action = 'DISCARDED' ORDER BY id"))
            .containsExactly("ann", "bob");
    }

    @Test
    void whatBecameOfADeadLetterIsPrunedToo() {
        Node node = shop();
        node.queue.publish(new Placed(1));
        node.queue.publish(new Placed(2));
        node.drain();
        broken = false;
        DeadLetters letters = lettersOf(node);
        clock.advance(Duration.ofDays(29));
        node.handling.prune();
        letters.replay(DeadLetterFilter.all().error("for 1"), "ann");
        node.drain();
        letters.discard(DeadLetterFilter.all(), "ann");
        assertThat(states(node)).containsExactlyInAnyOrder("SUCCEEDED", "DISCARDED");
        node.handling.prune();
        assertThat(states(node)).hasSize(2);
        clock.advance(Duration.ofDays(8));
        node.handling.prune();
        assertThat(states(node)).isEmpty();
    }

}
