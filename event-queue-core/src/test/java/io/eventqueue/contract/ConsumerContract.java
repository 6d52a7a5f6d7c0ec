package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.eventqueue.EventConsumer;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerResult;
import io.eventqueue.IncomingEvent;
import io.eventqueue.InvalidEventException;
import io.eventqueue.InvalidIncomingEventException;
import io.eventqueue.PublishOptions;
import io.eventqueue.outbox.TransactionalEventConsumer;
import io.eventqueue.testsupport.TestDatabase;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.util.RawValue;

/** What is promised about events that come from elsewhere. */
abstract class ConsumerContract extends DatabaseContract {

    record Placed(int number) {
    }

    private final List<Integer> seen = new CopyOnWriteArrayList<>();

    private Node node;

    private EventConsumer consumer;

    ConsumerContract(TestDatabase kind) {
        super(kind);
    }

    @BeforeEach
    void createConsumer() {
        node = node(handlers().withHandler(Placed.class, "record", event -> {
            seen.add(event.number());
            return HandlerResult.success();
        }));
        consumer = new TransactionalEventConsumer(node.database, node.queue);
    }

    static IncomingEvent placed(int number) {
        return IncomingEvent.json(IncomingEvent.idOf("test", "order-" + number), "Placed",
                "{\"number\":%d}".formatted(number));
    }

    static List<IncomingEvent> placed(IntStream numbers) {
        return numbers.mapToObj(ConsumerContract::placed).toList();
    }

    EventConsumer consumer() {
        return consumer;
    }

    private long events() {
        return count(node, "SELECT count(*) FROM {events}");
    }

    @Test
    void handlesWhatCameFromElsewhere() {
        assertThat(consumer.consume(placed(IntStream.range(0, 250)))).isEqualTo(250);

        node.drain();

        assertThat(seen).containsExactlyInAnyOrderElementsOf(IntStream.range(0, 250).boxed().toList());
    }

    @Test
    void writesInTheOrderReceived() {
        consumer.consume(placed(IntStream.range(0, 250).map(i -> 249 - i)));

        List<UUID> bySequence = node.database.query("SELECT id FROM {events} ORDER BY seq", Map.of(),
                (rs, n) -> node.database.dialect().id(rs, "id"));

        assertThat(bySequence).containsExactlyElementsOf(
                placed(IntStream.range(0, 250).map(i -> 249 - i)).stream().map(event -> event.options().id()).toList());
    }

    @Test
    void recognizesARedeliveryInOneBatchInTheOutboxAndInTheLog() {
        assertThat(consumer.consume(List.of(placed(1), placed(2), placed(1)))).isEqualTo(2);
        assertThat(consumer.consume(List.of(placed(2), placed(3)))).isEqualTo(1);
        assertThat(consumer.consume(placed(3))).isFalse();
        node.drain();

        assertThat(consumer.consume(List.of(placed(1), placed(2), placed(3), placed(4)))).isEqualTo(1);
        node.drain();

        assertThat(seen).containsExactlyInAnyOrder(1, 2, 3, 4);
    }

    @Test
    void keepsKeyHeadersAndTags() {
        consumer.consume(placed(1).with(options -> options.key("42").header("source", "shop").tags("a")));

        assertThat(node.queue.find(IncomingEvent.idOf("test", "order-1"))).get().satisfies(event -> {
            assertThat(event.key()).isEqualTo("42");
            assertThat(event.headers()).containsEntry("source", "shop");
            assertThat(event.tags()).containsExactly("a");
        });
    }

    @Test
    void namesTheOneThatCannotBeStoredAndWritesNone() {
        IncomingEvent broken = IncomingEvent.json(UUID.randomUUID(), "Placed", "{\"number\":");
        assertThatThrownBy(() -> consumer.consume(List.of(placed(1), placed(1), broken, placed(2))))
            .isInstanceOfSatisfying(InvalidIncomingEventException.class, e -> assertThat(e.index()).isEqualTo(2))
            .hasMessageContaining("is not JSON");
        for (String notJson : List.of("", " ", "{} {}", "hello", "{'a':1}")) {
            assertThatThrownBy(() -> consumer.consume(IncomingEvent.json(UUID.randomUUID(), "Placed", notJson)))
                .isInstanceOf(InvalidIncomingEventException.class)
                .hasMessageContaining("is not JSON");
        }
        assertThat(events()).isZero();
    }

    @Test
    void needsAnId() {
        assertThatThrownBy(() -> new IncomingEvent(new Placed(1), PublishOptions.none()))
            .isInstanceOf(InvalidEventException.class)
            .hasMessageContaining("IncomingEvent.of(id, event)");
    }

    @Test
    void writesEachOnceWhenSeveralReceiveTheSame() throws Exception {
        List<IncomingEvent> all = placed(IntStream.range(0, 400));
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<Integer>> written = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                List<IncomingEvent> mine = new ArrayList<>(all);
                Collections.rotate(mine, i * 100);
                for (int from = 0; from < 400; from += 50) {
                    List<IncomingEvent> batch = mine.subList(from, from + 50);
                    written.add(threads.submit(() -> consumer.consume(batch)));
                }
            }
            int sum = 0;
            for (Future<Integer> count : written) {
                sum += count.get();
            }
            assertThat(sum).isEqualTo(400);
        }
        assertThat(events()).isEqualTo(400);
    }

    @Test
    void handsThePayloadUnreadToAHandlerThatPassesItOn() {
        List<Object> payloads = new CopyOnWriteArrayList<>();
        HandlerDefinition passing = HandlerDefinition.builder("pass", List.of("Placed"), envelope -> {
            payloads.add(((RawValue) envelope.event()).rawValue());
            return HandlerResult.success();
        }).build();
        try (Node passer = new Node(fresh.dataSource(), null,
                handlers().withHandler(Placed.class, "read", event -> HandlerResult.success())
                    .withHandler(passing)
                    .build())) {
            consumer.consume(IncomingEvent.json(UUID.randomUUID(), "Placed", "{\"number\":12345678901234567890.10}"));
            passer.drain();
        }
        assertThat(payloads).singleElement().asString().contains("12345678901234567890.10");
    }

}
