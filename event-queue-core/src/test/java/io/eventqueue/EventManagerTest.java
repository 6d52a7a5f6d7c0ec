package io.eventqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

class EventManagerTest {

    record Foo(int number) {
    }

    private static final List<Integer> seen = new CopyOnWriteArrayList<>();

    static class FooHandler implements Handler<Foo> {

        @Override
        public void handle(EventEnvelope<Foo> envelope) {
            seen.add(envelope.event().number());
        }

        @Override
        public String name() {
            return "foo";
        }

    }

    private final FreshDatabase fresh = TestDatabase.H2.create();

    @AfterEach
    void close() {
        fresh.close();
        seen.clear();
    }

    private EventManager.Builder manager() {
        return EventManager.eventManager(fresh.dataSource()).pollDelay(Duration.ofMillis(50));
    }

    private long notifications() {
        return new JdbcTemplate(fresh.dataSource()).queryForList("SELECT 1 FROM eventlog.event_notifications").size();
    }

    @Test
    void dispatchesToInstancesAndLambdasAndFinalizesWhenAllHaveEnded() {
        AtomicInteger tries = new AtomicInteger();
        try (EventManager manager = manager().register(new FooHandler())
            .register(Foo.class, "second-try",
                    foo -> tries.incrementAndGet() < 2 ? HandlerResult.transientError("not yet", Duration.ofMillis(10))
                            : HandlerResult.success())
            .build()) {
            manager.start();
            UUID id = manager.queue().publish(new Foo(1));
            await().until(() -> manager.queue().find(id).orElseThrow().status() == EventStatus.COMPLETED);
            assertThat(seen).containsExactly(1);
            assertThat(tries).hasValue(2);
        }
    }

    @Test
    void anUnrecoverableErrorFinalizesTheEventWithErrors() {
        try (EventManager manager = manager().register(new FooHandler())
            .register(Foo.class, "never", foo -> HandlerResult.unrecoverableError("cannot be"))
            .build()) {
            UUID id = manager.queue().publish(new Foo(1));
            assertThat(manager.processDue()).isPositive();
            QueuedEvent logged = manager.queue().find(id).orElseThrow();
            assertThat(logged.status()).isEqualTo(EventStatus.COMPLETED_WITH_ERRORS);
            assertThat(logged.errors()).contains("cannot be");
            assertThat(seen).containsExactly(1);
        }
    }

    @Test
    void refusesASecondHandlerOfTheSameId() {
        EventManager.Builder builder = manager().register(new FooHandler());
        assertThatThrownBy(() -> builder.register(Foo.class, "foo", foo -> HandlerResult.success()))
            .isInstanceOf(InvalidHandlerException.class)
            .hasMessageContaining("'foo'");
        assertThatThrownBy(() -> builder.register(Foo.class, " ", foo -> HandlerResult.success()))
            .isInstanceOf(InvalidHandlerException.class);
    }

    @Test
    void theProcessLoopRunsUntilClosed() throws Exception {
        EventManager manager = manager().register(new FooHandler()).build();
        Thread loop = Thread.ofVirtual().start(manager::runProcessLoop);
        manager.queue().publish(new Foo(1));
        await().until(() -> seen.equals(List.of(1)));
        manager.close();
        assertThat(loop.join(Duration.ofMinutes(1))).isTrue();
        manager.queue().publish(new Foo(2));
        assertThat(seen).containsExactly(1);
    }

    @Test
    void anInterruptedProcessLoopStopsEverything() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);
        EventManager manager = manager().register(new FooHandler()).build();
        Thread loop = Thread.ofPlatform().start(() -> {
            manager.runProcessLoop();
            if (Thread.currentThread().isInterrupted()) {
                interrupted.countDown();
            }
        });
        loop.interrupt();
        assertThat(loop.join(Duration.ofMinutes(1))).isTrue();
        assertThat(interrupted.getCount()).isZero();
    }

    @Test
    void cleanupRemovesDeliveriesOfFinalizedEventsOnly() {
        AtomicInteger calls = new AtomicInteger();
        try (EventManager manager = manager().register(new FooHandler())
            .register(Foo.class, "later",
                    foo -> calls.incrementAndGet() == 1 ? HandlerResult.success()
                            : HandlerResult.transientError("later", Duration.ofHours(1)))
            .build()) {
            UUID done = manager.queue().publish(new Foo(1));
            manager.processDue();
            manager.queue().publish(new Foo(2));
            manager.processDue();
            assertThat(notifications()).isEqualTo(4);
            manager.cleanupFinalizedEvents();
            assertThat(notifications()).isEqualTo(2);
            assertThat(manager.queue().find(done)).isPresent();
        }
    }

}
