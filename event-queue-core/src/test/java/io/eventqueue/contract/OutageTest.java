package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.HandlerResult;
import io.eventqueue.Shard;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.PostgresSignals;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.outbox.TransactionalEventQueue;
import io.eventqueue.testsupport.DatabaseServer;
import io.eventqueue.testsupport.EmbeddedPostgreSql;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/** What happens when connections break, a shard is down or a wake-up gets lost. */
class OutageTest extends DatabaseContract {

    record Placed(int number) {
    }

    private final Set<Integer> seen = ConcurrentHashMap.newKeySet();

    OutageTest() {
        super(TestDatabase.POSTGRESQL);
    }

    private EventHandlerRegistry recording() {
        return handlers().withHandler(Placed.class, "a", event -> {
            seen.add(event.number());
            return HandlerResult.success();
        }).build();
    }

    @Test
    void brokenConnectionsAreReplacedAndNothingIsLost() {
        JdbcTemplate saboteur = new JdbcTemplate(fresh.dataSource());
        try (HikariDataSource pool = fresh.newPool(10); Node node = new Node(pool, null, recording()).start()) {
            for (int round = 0; round < 5; round++) {
                int from = round * 200;
                publishUntilItWorks(node, from);
                saboteur.queryForList("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
            }
            await().ignoreExceptions()
                .until(() -> saboteur.queryForObject(
                        "SELECT count(*) FROM eventlog.event_log WHERE status = 'COMPLETED'", Integer.class) == 1000);
        }
        assertThat(seen).hasSize(1000);
    }

    private static void publishUntilItWorks(Node node, int from) {
        await().ignoreExceptionsInstanceOf(DataAccessException.class)
            .ignoreExceptionsInstanceOf(org.springframework.transaction.TransactionException.class)
            .until(() -> node.queue.publishAll(IntStream.range(from, from + 200).mapToObj(Placed::new).toList())
                .size() == 200);
    }

    @Test
    void aShardThatIsDownDoesNotStopTheOthers() {
        DatabaseServer other = EmbeddedPostgreSql.start(Map.of());
        FreshDatabase doomed = other.createDatabase(5);
        SchemaMigration.migrate(doomed.dataSource());
        Database up = Database.of(Shard.of("up", fresh.dataSource()));
        Database down = Database.of(Shard.of("down", doomed.dataSource()));
        TransactionalEventQueue queue = TransactionalEventQueue.eventQueue(up).build();
        TransactionalEventQueue doomedQueue = TransactionalEventQueue.eventQueue(down).build();
        EventHandlerRegistry registry = recording();
        EventHandlingJob handling = EventHandlingJob.eventHandlingJob()
            .databases(List.of(down, up))
            .eventHandlerRegistry(registry)
            .shutdownTimeout(Duration.ofSeconds(1))
            .build();
        EventFanoutJob fanout = EventFanoutJob.eventFanoutJob()
            .databases(List.of(down, up))
            .eventHandlerRegistry(registry)
            .handlingJob(handling)
            .build();
        handling.start();
        fanout.start();
        try {
            queue.publish(new Placed(1));
            doomedQueue.publish(new Placed(2));
            await().until(() -> seen.containsAll(List.of(1, 2)));
            other.close();
            queue.publish(new Placed(3));
            await().until(() -> seen.contains(3));
        }
        finally {
            ((HikariDataSource) doomed.dataSource()).close();
            fanout.stop();
            handling.stop();
        }
    }

    @Test
    void notifyWakesAnotherNodeLongBeforeItsPollDelay() throws Exception {
        Duration never = Duration.ofMinutes(10);
        Node publisher = new Node(fresh.dataSource(), null, handlers().build());
        PostgresSignals sending = new PostgresSignals(publisher.database, fresh.dataSource(), Duration.ofMillis(5));
        CountDownLatch handled = new CountDownLatch(2);
        Shard shard = Shard.of("other", fresh.dataSource());
        Database database = Database.of(shard);
        EventHandlerRegistry registry = handlers().withHandler(Placed.class, "a", event -> {
            handled.countDown();
            return HandlerResult.success();
        }).build();
        EventHandlingJob handling = EventHandlingJob.eventHandlingJob()
            .databases(List.of(database))
            .eventHandlerRegistry(registry)
            .pollDelay(never)
            .build();
        EventFanoutJob fanout = EventFanoutJob.eventFanoutJob()
            .databases(List.of(database))
            .eventHandlerRegistry(registry)
            .pollDelay(never)
            .handlingJob(handling)
            .build();
        PostgresSignals listening = new PostgresSignals(database, fresh.dataSource(), Duration.ofMillis(5));
        sending.start();
        handling.start();
        fanout.start();
        listening.start();
        try {
            publisher.queue.publish(new Placed(1));
            await().until(() -> handled.getCount() == 1);
            new JdbcTemplate(fresh.dataSource())
                .queryForList("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
                        + " AND pid <> pg_backend_pid()");
            publisher.queue.publish(new Placed(2));
            assertThat(handled.await(1, TimeUnit.MINUTES)).as("also after the listening connection broke").isTrue();
        }
        finally {
            sending.stop();
            listening.stop();
            fanout.stop();
            handling.stop();
        }
    }

    @Test
    void aLostWakeUpCostsOnePollDelay() {
        Node publisher = new Node(fresh.dataSource(), null, handlers().build());
        try (Node other = new Node(fresh.dataSource(), null, recording()).start()) {
            publisher.queue.publish(new Placed(1));
            await().until(() -> seen.contains(1));
        }
    }

    @Test
    void aDeadlockIsTriedAgain() throws Exception {
        Database database = Database.of(Shard.of("main", fresh.dataSource()));
        JdbcTemplate jdbc = new JdbcTemplate(fresh.dataSource());
        jdbc.execute("CREATE TABLE account (id INT PRIMARY KEY, changes INT)");
        jdbc.execute("INSERT INTO account VALUES (1, 0), (2, 0)");
        CountDownLatch bothHoldOne = new CountDownLatch(2);
        Thread other = Thread.ofVirtual().start(() -> changeBoth(database, bothHoldOne, 2, 1));
        changeBoth(database, bothHoldOne, 1, 2);
        other.join();
        assertThat(jdbc.queryForList("SELECT changes FROM account", Integer.class)).containsExactly(2, 2);
    }

    private static void changeBoth(Database database, CountDownLatch bothHoldOne, int first, int second) {
        database.inOwnTransaction(() -> {
            String change = "UPDATE account SET changes = changes + 1 WHERE id = :id";
            database.update(change, Map.of("id", first));
            bothHoldOne.countDown();
            try {
                bothHoldOne.await();
            }
            catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return database.update(change, Map.of("id", second));
        });
    }

}
