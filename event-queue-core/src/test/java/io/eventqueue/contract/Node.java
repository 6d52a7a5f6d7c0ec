package io.eventqueue.contract;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventQueueListener;
import io.eventqueue.NotificationState;
import io.eventqueue.Shard;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.jdbc.Database;
import io.eventqueue.outbox.TransactionalEventQueue;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** One engine as an application would wire it, with counters for what it reports. */
final class Node implements AutoCloseable {

    final Shard shard;

    final Database database;

    final TransactionalEventQueue queue;

    final EventFanoutJob fanout;

    final EventHandlingJob handling;

    final AtomicInteger fenced = new AtomicInteger();

    final AtomicInteger abandoned = new AtomicInteger();

    final AtomicInteger succeeded = new AtomicInteger();

    final Map<String, Integer> blockedKeys = new ConcurrentHashMap<>();

    final Map<String, Duration> blockedSince = new ConcurrentHashMap<>();

    Node(DataSource dataSource, Clock clock, EventHandlerRegistry registry) {
        this(dataSource, clock, registry, builder -> builder);
    }

    Node(DataSource dataSource, Clock clock, EventHandlerRegistry registry,
            UnaryOperator<EventHandlingJob.Builder> settings) {
        EventQueueListener listener = new EventQueueListener() {
            @Override
            public void fenced(String shard, int writes) {
                fenced.addAndGet(writes);
            }

            @Override
            public void keysBlocked(String shard, String handler, int keys, Duration oldest) {
                blockedKeys.put(handler, keys);
                blockedSince.put(handler, oldest);
            }

            @Override
            public void abandoned(String handler) {
                abandoned.incrementAndGet();
            }

            @Override
            public void handled(String handler, NotificationState outcome, Duration duration, Duration lag) {
                if (outcome == NotificationState.SUCCEEDED) {
                    succeeded.incrementAndGet();
                }
            }
        };
        this.shard = Shard.of("main", dataSource);
        this.database = Database.of(shard, clock);
        this.queue = TransactionalEventQueue.eventQueue(database).listener(listener).build();
        this.handling = settings
            .apply(EventHandlingJob.eventHandlingJob()
                .databases(List.of(database))
                .eventHandlerRegistry(registry)
                .pollDelay(Duration.ofMillis(100))
                .listener(listener))
            .build();
        this.fanout = EventFanoutJob.eventFanoutJob()
            .databases(List.of(database))
            .eventHandlerRegistry(registry)
            .pollDelay(Duration.ofMillis(100))
            .handlingJob(handling)
            .listener(listener)
            .build();
    }

    Node start() {
        handling.start();
        fanout.start();
        return this;
    }

    void drain() {
        while (fanout.drainOneRound() + handling.drainOneRound() > 0) {
            // until nothing is due
        }
    }

    @Override
    public void close() {
        fanout.stop();
        handling.stop();
    }

}
