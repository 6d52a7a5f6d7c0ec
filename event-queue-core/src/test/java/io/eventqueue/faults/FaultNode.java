package io.eventqueue.faults;

import com.zaxxer.hikari.HikariDataSource;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventLogProjection;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerResult;
import io.eventqueue.JobRegistry;
import io.eventqueue.ProjectionContext;
import io.eventqueue.QueuedEvent;
import io.eventqueue.RetryPolicy;
import io.eventqueue.Shard;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.jdbc.Database;
import io.eventqueue.log.ProjectionJob;
import io.eventqueue.outbox.TransactionalEventQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A node of the fault suite, in a JVM of its own. Its handlers write what they did to the
 * table {@code effects}, which knows nothing of the engine.
 */
final class FaultNode {

    static final Duration LEASE = Duration.ofSeconds(2);

    /** What the nodes handle. */
    record Fact(int number) {
    }

    /**
     * The same with one handler only, so that nodes claim it whole. A negative number
     * follows a fact, and is published by the node that handles that.
     */
    record Lone(int number) {
    }

    /** Notes every event of the log; whatever it misses or repeats is found. */
    private record Reader() implements EventLogProjection {

        @Override
        public String name() {
            return "reader";
        }

        @Override
        public void handle(QueuedEvent event, ProjectionContext context) {
            context.jdbc()
                .update("INSERT INTO projected (number, position) VALUES (?, ?)",
                        context.read(event, Fact.class).number(), context.position());
        }

    }

    private FaultNode() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(arguments[0] + ProcessHandle.current().pid());
        pool.setUsername(arguments[1]);
        pool.setPassword(arguments[2]);
        pool.setMaximumPoolSize(12);
        pool.setConnectionTimeout(2000);
        pool.setInitializationFailTimeout(-1);
        Database database = connect(pool);
        TransactionalEventQueue queue = TransactionalEventQueue.eventQueue(database).build();
        EventHandlerRegistry registry = handlers(new JdbcTemplate(pool), queue);
        EventHandlingJob handling = EventHandlingJob.eventHandlingJob()
            .databases(List.of(database))
            .eventHandlerRegistry(registry)
            .abandonmentTimeout(LEASE)
            .retryPolicy(RetryPolicy.inherited().withBackoff(Duration.ofMillis(200), Duration.ofSeconds(1)))
            .pollDelay(Duration.ofMillis(200))
            .shutdownTimeout(Duration.ofMillis(500))
            .batchSize(20)
            .concurrency(16)
            .build();
        EventFanoutJob fanout = EventFanoutJob.eventFanoutJob()
            .databases(List.of(database))
            .eventHandlerRegistry(registry)
            .pollDelay(Duration.ofMillis(200))
            .batchSize(20)
            .handlingJob(handling)
            .build();
        ProjectionJob projections = ProjectionJob.projectionJob()
            .databases(List.of(database))
            .projection(new Reader())
            .pollDelay(Duration.ofMillis(200))
            .batchSize(20)
            .build();
        JobRegistry jobs = JobRegistry.jobRegistry().withJob(fanout).withJob(handling).withJob(projections).build();
        Runtime.getRuntime().addShutdownHook(new Thread(jobs::stop));
        jobs.start();
        new CountDownLatch(1).await();
    }

    /** The server may be down at this moment. */
    private static Database connect(HikariDataSource pool) {
        while (true) {
            try {
                return Database.of(Shard.of("main", pool));
            }
            catch (RuntimeException e) {
                System.out.println("No database yet: " + e);
            }
        }
    }

    private static EventHandlerRegistry handlers(JdbcTemplate jdbc, TransactionalEventQueue queue) {
        return EventHandlerRegistry.eventHandlerRegistry().withHandler(Fact.class, "repeatable", fact -> {
            record(jdbc, fact, "repeatable");
            return HandlerResult.success();
        }).withHandler(HandlerDefinition.builder("once", Fact.class, envelope -> {
            Fact fact = (Fact) envelope.event();
            record(jdbc, fact, "once");
            jdbc.update("INSERT INTO published (number) VALUES (?)", -fact.number());
            queue.publish(new Lone(-fact.number()));
            return HandlerResult.success();
        }).idempotent(false).transactional(true).build())
            .withHandler(HandlerDefinition.builder("at-most-once", Fact.class, envelope -> {
                record(jdbc, (Fact) envelope.event(), "at-most-once");
                return HandlerResult.success();
            }).idempotent(false).build())
            .withHandler(Fact.class, "flaky", fact -> {
                int luck = ThreadLocalRandom.current().nextInt(100);
                if (luck < 20) {
                    return HandlerResult.transientError("bad luck", Duration.ofMillis(50));
                }
                if (luck < 22) {
                    return HandlerResult.unrecoverableError("very bad luck");
                }
                record(jdbc, fact, "flaky");
                return HandlerResult.success();
            })
            .withHandler(Lone.class, "alone", lone -> {
                if (ThreadLocalRandom.current().nextInt(100) < 5) {
                    return HandlerResult.transientError("bad luck", Duration.ofMillis(50));
                }
                record(jdbc, new Fact(lone.number()), "alone");
                return HandlerResult.success();
            })
            .build();
    }

    private static void record(JdbcTemplate jdbc, Fact fact, String handler) {
        jdbc.update("INSERT INTO effects (number, handler) VALUES (?, ?)", fact.number(), handler);
    }

}
