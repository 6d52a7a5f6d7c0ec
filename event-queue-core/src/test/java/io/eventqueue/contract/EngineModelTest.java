package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerResult;
import io.eventqueue.PublishOptions;
import io.eventqueue.RetryPolicy;
import io.eventqueue.handling.SubscriptionControl;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.MutableClock;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/**
 * Random sequences of what can happen to events, against a model that says in a few lines
 * what must have become of each delivery. Two nodes share a database and a clock.
 */
class EngineModelTest {

    private static final Duration WINDOW = Duration.ofDays(7);

    private static final Duration LEASE = Duration.ofMinutes(1);

    private static final int MAX_ATTEMPTS = 4;

    record Fact(int number) {
    }

    /** One thing that happens; {@code amount} means something else to each. */
    record Step(What what, int amount) {
    }

    enum What {

        /** Publishes an event that is due in {@code amount} seconds. */
        PUBLISH,
        /** Fans out all that is due. */
        FAN_OUT,
        /** Runs all deliveries that are due. */
        HANDLE,
        /**
         * Claims all that is due, stalls until the lease is over, lets the other node
         * take over and then comes back with outcomes.
         */
        STALL,
        /** {@code amount} seconds pass. */
        WAIT,
        /** {@code amount} days pass, and both nodes are started again. */
        WAIT_FOR_DAYS,
        /** Handler "a" is paused, or resumed if it was. */
        PAUSE,
        /** Handler "b" gets the name "b2" and keeps the old one as its alias. */
        RENAME

    }

    @Provide
    Arbitrary<List<Step>> steps() {
        Arbitrary<Step> usual = Arbitraries
            .of(What.PUBLISH, What.PUBLISH, What.FAN_OUT, What.HANDLE, What.HANDLE, What.STALL, What.WAIT, What.PAUSE,
                    What.RENAME)
            .flatMap(what -> Arbitraries.integers().between(0, 400).map(amount -> new Step(what, amount)));
        Arbitrary<Step> rare = Arbitraries.integers().between(1, 9).map(days -> new Step(What.WAIT_FOR_DAYS, days));
        return Arbitraries.frequencyOf(net.jqwik.api.Tuple.of(12, usual), net.jqwik.api.Tuple.of(1, rare))
            .list()
            .ofMinSize(5)
            .ofMaxSize(40);
    }

    @Property(tries = 60, shrinking = ShrinkingMode.BOUNDED)
    void theEngineDoesWhatTheModelSays(@ForAll("steps") List<Step> steps) {
        try (World world = new World()) {
            Model model = new Model(world.clock);
            for (Step step : steps) {
                world.take(step);
                model.take(step);
                assertThat(world.deliveries()).as("deliveries after %s", step).isEqualTo(model.deliveries());
                assertThat(world.logged()).as("log after %s", step).isEqualTo(model.logged());
            }
        }
    }

    /** What attempt {@code attempt} of a delivery comes to: the same in both worlds. */
    private static HandlerResult outcomeOf(int event, String handler, int attempt) {
        return switch ((event * 7 + handler.charAt(0) * 3 + attempt) % 5) {
            case 0, 1, 2 -> HandlerResult.success();
            case 3 -> HandlerResult.transientError("again", null);
            default -> event % 4 == 0 ? HandlerResult.unrecoverableError("never")
                    : HandlerResult.transientError("again", null);
        };
    }

    /** The engine. */
    private static final class World implements AutoCloseable {

        private final FreshDatabase fresh = TestDatabase.H2.create(20);

        private final MutableClock clock = new MutableClock();

        private final AtomicBoolean stalling = new AtomicBoolean();

        private boolean renamed;

        private boolean paused;

        private int published;

        private Node node;

        private Node other;

        World() {
            SchemaMigration.migrate(fresh.dataSource());
            startNodes();
        }

        private void startNodes() {
            node = new Node(fresh.dataSource(), clock, registry(), b -> b.abandonmentTimeout(LEASE));
            other = new Node(fresh.dataSource(), clock, registry(), b -> b.abandonmentTimeout(LEASE));
            node.handling.drainOneRound();
        }

        private EventHandlerRegistry registry() {
            return EventHandlerRegistry.eventHandlerRegistry()
                .withHandler(handler("a", List.of()))
                .withHandler(renamed ? handler("b2", List.of("b")) : handler("b", List.of()))
                .build();
        }

        private HandlerDefinition handler(String name, List<String> aliases) {
            return HandlerDefinition.builder(name, Fact.class, envelope -> {
                if (stalling.getAndSet(false)) {
                    clock.advance(LEASE.plusSeconds(1));
                    while (other.handling.drainOneRound() > 0) {
                        // takes over
                    }
                }
                return outcomeOf(((Fact) envelope.event()).number(), name, envelope.attempt());
            }).aliases(aliases).retryPolicy(RetryPolicy.inherited().withMaxAttempts(MAX_ATTEMPTS)).build();
        }

        void take(Step step) {
            switch (step.what()) {
                case PUBLISH -> node.queue.publish(new Fact(published++),
                        PublishOptions.none().delay(Duration.ofSeconds(step.amount())));
                case FAN_OUT -> {
                    while (node.fanout.drainOneRound() > 0) {
                        // all of it
                    }
                }
                case HANDLE -> handle();
                case STALL -> {
                    stalling.set(true);
                    handle();
                    stalling.set(false);
                }
                case WAIT -> clock.advance(Duration.ofSeconds(step.amount()));
                case WAIT_FOR_DAYS -> {
                    clock.advance(Duration.ofDays(step.amount()));
                    startNodes();
                }
                case PAUSE -> {
                    paused = !paused;
                    SubscriptionControl control = new SubscriptionControl(node.database);
                    assertThat(paused ? control.pause("a") : control.resume("a")).isTrue();
                }
                case RENAME -> {
                    renamed = true;
                    startNodes();
                }
            }
        }

        private void handle() {
            while (node.handling.drainOneRound() > 0) {
                // all that is due
            }
        }

        Map<String, String> deliveries() {
            Map<String, String> found = new TreeMap<>();
            node.database.query("SELECT payload, handler_name, state, attempts FROM {event_notifications}", Map.of(),
                    (rs, row) -> found.put(rs.getString("payload") + " " + rs.getString("handler_name"),
                            rs.getString("state") + " " + rs.getInt("attempts")));
            return found;
        }

        Map<String, String> logged() {
            Map<String, String> found = new TreeMap<>();
            node.database.query("SELECT payload, status FROM {event_log}", Map.of(),
                    (rs, row) -> found.put(rs.getString("payload"), rs.getString("status")));
            return found;
        }

        @Override
        public void close() {
            node.close();
            other.close();
            fresh.close();
        }

    }

    /** What the engine should do. */
    private static final class Model {

        private static final class Delivery {

            private final int event;

            private final String name;

            /** When the event was due, from where the retention window counts. */
            private final Instant since;

            private String state = "PENDING";

            private int attempts;

            private Instant due;

            Delivery(int event, String name, Instant since, Instant due) {
                this.event = event;
                this.name = name;
                this.since = since;
                this.due = due;
            }

            boolean isOpen() {
                return state.equals("PENDING") || state.equals("FAILED");
            }

        }

        private record Waiting(int number, Instant due) {
        }

        private final MutableClock world;

        private final List<Waiting> waiting = new ArrayList<>();

        private final List<Delivery> deliveries = new ArrayList<>();

        private Instant now;

        private boolean paused;

        private String b = "b";

        private int published;

        Model(MutableClock world) {
            this.world = world;
            this.now = world.instant();
        }

        void take(Step step) {
            switch (step.what()) {
                case PUBLISH -> waiting.add(new Waiting(published++, now.plusSeconds(step.amount())));
                case FAN_OUT -> fanOut();
                case HANDLE -> handle();
                case STALL -> stall();
                case WAIT -> now = now.plusSeconds(step.amount());
                case WAIT_FOR_DAYS -> {
                    now = now.plus(Duration.ofDays(step.amount()));
                    handle();
                }
                case PAUSE -> paused = !paused;
                case RENAME -> {
                    b = "b2";
                    handle();
                }
            }
            assertThat(now).isEqualTo(world.instant());
        }

        private void fanOut() {
            for (Waiting event : List.copyOf(waiting)) {
                if (!event.due().isAfter(now)) {
                    waiting.remove(event);
                    deliveries.add(new Delivery(event.number(), "a", event.due(), now));
                    deliveries.add(new Delivery(event.number(), b, event.due(), now));
                }
            }
        }

        private List<Delivery> due() {
            for (Delivery delivery : deliveries) {
                if (delivery.isOpen() && !delivery.since.isAfter(now.minus(WINDOW))) {
                    delivery.state = "EXPIRED";
                }
            }
            return deliveries.stream()
                .filter(delivery -> delivery.isOpen() && !delivery.due.isAfter(now))
                .filter(delivery -> !(paused && delivery.name.equals("a")))
                .toList();
        }

        private void handle() {
            for (Delivery delivery : due()) {
                delivery.attempts++;
                String handler = delivery.name.equals("b") ? b : delivery.name;
                decide(delivery, outcomeOf(delivery.event, handler, delivery.attempts));
            }
        }

        private void decide(Delivery delivery, HandlerResult result) {
            switch (result) {
                case HandlerResult.Success ignored -> delivery.state = "SUCCEEDED";
                case HandlerResult.UnrecoverableError ignored -> delivery.state = "DEAD";
                case HandlerResult.TransientError ignored -> {
                    delivery.state = delivery.attempts == MAX_ATTEMPTS ? "DEAD" : "FAILED";
                    delivery.due = now.plusSeconds(Math.min(300, 30L << (delivery.attempts - 1)));
                }
            }
        }

        /** Whatever the stalled node had claimed is lost to the other one. */
        private void stall() {
            List<Delivery> lost = due();
            if (lost.isEmpty()) {
                return;
            }
            now = now.plus(LEASE.plusSeconds(1));
            for (Delivery delivery : lost) {
                delivery.attempts++;
                delivery.due = now;
                if (delivery.attempts == MAX_ATTEMPTS) {
                    // No attempt is left for the heir to make.
                    delivery.attempts++;
                    delivery.state = "DEAD";
                }
            }
            handle();
        }

        Map<String, String> deliveries() {
            Map<String, String> expected = new TreeMap<>();
            deliveries.forEach(delivery -> expected.put("{\"number\":" + delivery.event + "} " + delivery.name,
                    delivery.state + " " + delivery.attempts));
            return expected;
        }

        Map<String, String> logged() {
            Map<String, String> expected = new TreeMap<>();
            deliveries.stream().map(delivery -> delivery.event).distinct().forEach(event -> {
                List<Delivery> own = deliveries.stream().filter(delivery -> delivery.event == event).toList();
                if (own.stream().noneMatch(Delivery::isOpen)) {
                    expected.put("{\"number\":" + event + "}",
                            own.stream().allMatch(delivery -> delivery.state.equals("SUCCEEDED")) ? "COMPLETED"
                                    : "COMPLETED_WITH_ERRORS");
                }
            });
            return expected;
        }

    }

}
