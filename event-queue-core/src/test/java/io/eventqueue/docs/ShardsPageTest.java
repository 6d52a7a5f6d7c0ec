package io.eventqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.EventQueue;
import io.eventqueue.Job;
import io.eventqueue.JobRegistry;
import io.eventqueue.Shard;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.PostgresSignals;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.outbox.TransactionalEventQueue;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionTemplate;

/** What docs/shards.md and docs/databases.md show of manual wiring, run. */
class ShardsPageTest {

    record Ordered(String orderId) {
    }

    @Test
    void anEventLivesWhereItsTransactionWas() {
        try (FreshDatabase eu = TestDatabase.H2.create(); FreshDatabase us = TestDatabase.H2.create()) {
            SchemaMigration.migrate(eu.dataSource());
            SchemaMigration.migrate(us.dataSource());
            publishInTheUs(eu.dataSource(), us.dataSource());
        }
    }

    private static void publishInTheUs(DataSource euDataSource, DataSource usDataSource) {
        Database eu = Database.of(Shard.of("eu", euDataSource));
        Database us = Database.of(Shard.of("us", usDataSource));
        EventQueue queue = TransactionalEventQueue.eventQueue(eu, us).build();

        TransactionTemplate inTheUs = new TransactionTemplate(us.shard().transactionManager());
        UUID id = inTheUs.execute(status -> queue.publish(new Ordered("A-1")));
        assertThat(TransactionalEventQueue.eventQueue(us).build().find(id)).isPresent();
        assertThat(TransactionalEventQueue.eventQueue(eu).build().find(id)).isEmpty();
    }

    @Test
    void signalsRunBesideTheJobs() {
        try (FreshDatabase fresh = TestDatabase.H2.create()) {
            SchemaMigration.migrate(fresh.dataSource());
            Database database = Database.of(Shard.of("main", fresh.dataSource()));
            EventFanoutJob fanout = EventFanoutJob.eventFanoutJob().databases(List.of(database)).build();
            EventHandlingJob handling = EventHandlingJob.eventHandlingJob().databases(List.of(database)).build();
            DataSource listenDataSource = fresh.dataSource();
            Job signals = new PostgresSignals(database, listenDataSource, Duration.ofMillis(20));
            JobRegistry jobs = JobRegistry.jobRegistry().withJob(signals).withJob(fanout).withJob(handling).build();
            jobs.start();
            jobs.close();
            assertThat(handling.isRunning()).isFalse();
        }
    }

}
