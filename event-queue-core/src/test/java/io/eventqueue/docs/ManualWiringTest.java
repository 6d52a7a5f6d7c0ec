package io.eventqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventQueue;
import io.eventqueue.HandlerResult;
import io.eventqueue.JobRegistry;
import io.eventqueue.Shard;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.outbox.TransactionalEventQueue;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** The program that docs/manual-wiring.md shows, run for real. */
class ManualWiringTest {

    record OrderPlaced(String orderId, int amount) {
    }

    private final Set<String> confirmed = ConcurrentHashMap.newKeySet();

    @Test
    void callsTheHandlerOfAnEventPublishedInATransaction() {
        try (FreshDatabase fresh = TestDatabase.H2.create()) {
            new JdbcTemplate(fresh.dataSource()).execute("CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY)");

            run(fresh.dataSource());

            assertThat(confirmed).containsExactly("A-1");
        }
    }

    private void run(DataSource dataSource) {
        SchemaMigration.migrate(dataSource);
        Shard shard = Shard.of("main", dataSource);
        Database database = Database.of(shard);

        EventHandlerRegistry handlers = EventHandlerRegistry.eventHandlerRegistry()
            .withHandler(OrderPlaced.class, "send-confirmation", event -> {
                confirmed.add(event.orderId());
                return HandlerResult.success();
            })
            .build();

        EventQueue queue = TransactionalEventQueue.eventQueue(database).build();
        EventHandlingJob handling = EventHandlingJob.eventHandlingJob()
            .databases(List.of(database))
            .eventHandlerRegistry(handlers)
            .build();
        EventFanoutJob fanout = EventFanoutJob.eventFanoutJob()
            .databases(List.of(database))
            .eventHandlerRegistry(handlers)
            .handlingJob(handling)
            .build();

        try (JobRegistry jobs = JobRegistry.jobRegistry().withJob(fanout).withJob(handling).build()) {
            jobs.start();
            new TransactionTemplate(shard.transactionManager()).executeWithoutResult(transaction -> {
                new JdbcTemplate(dataSource).update("INSERT INTO orders (id) VALUES (?)", "A-1");
                queue.publish(new OrderPlaced("A-1", 42));
            });
            await().until(() -> confirmed.contains("A-1"));
        }
    }

}
