package io.eventqueue.benchmarks.contender;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * db-scheduler with lock-and-fetch, its fastest polling strategy on PostgreSQL. An event
 * is a one-time task; a finished task is deleted. The client joins the publisher's
 * transaction through Spring's proxy.
 */
final class DbSchedulerContender implements Contender {

    private static final int THREADS = 20;

    private static final double LOWER_LIMIT = 4.0;

    private static final double UPPER_LIMIT = 20.0;

    private static final Duration POLLING_INTERVAL = Duration.ofMillis(100);

    private static final String DDL = """
            CREATE TABLE scheduled_tasks (
              task_name text NOT NULL,
              task_instance text NOT NULL,
              task_data bytea,
              execution_time timestamptz NOT NULL,
              picked boolean NOT NULL,
              picked_by text,
              last_success timestamptz,
              last_failure timestamptz,
              consecutive_failures int,
              last_heartbeat timestamptz,
              version bigint NOT NULL,
              priority smallint,
              PRIMARY KEY (task_name, task_instance));
            CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time);
            CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat);
            CREATE INDEX priority_execution_time_idx ON scheduled_tasks (priority DESC, execution_time ASC)
            """;

    private final Setup setup;

    private final Database database;

    private final OneTimeTask<String> task;

    private final SchedulerClient client;

    private final TransactionTemplate transaction;

    private final String instancePrefix = ProcessHandle.current().pid() + "-";

    private final AtomicLong sequence = new AtomicLong();

    private @Nullable Scheduler scheduler;

    DbSchedulerContender(Setup setup) throws SQLException {
        this.setup = setup;
        this.database = setup.database(THREADS + 12);
        database.createSchema(DDL);
        task = Tasks.oneTime("event", String.class)
            .execute((instance, context) -> setup.handler().accept(instance.getData()));
        client = SchedulerClient.Builder.create(new TransactionAwareDataSourceProxy(database.dataSource()), task)
            .serializer(new Utf8Serializer())
            .build();
        transaction = new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()));
    }

    @Override
    public String version() {
        return "16.12.0";
    }

    @Override
    public String settings() {
        return "pollUsingLockAndFetch(%s, %s), %d threads, polling interval %d ms, UTF-8 serializer"
            .formatted(LOWER_LIMIT, UPPER_LIMIT, THREADS, POLLING_INTERVAL.toMillis());
    }

    @Override
    public void truncate() throws SQLException {
        database.execute("TRUNCATE scheduled_tasks");
    }

    @Override
    public void publish(String payload) {
        if (setup.handlers() > 1) {
            publishAll(List.of(payload));
            return;
        }
        transaction.executeWithoutResult(status -> client.scheduleIfNotExists(instance(payload), Instant.now()));
    }

    @Override
    public void publishAll(List<String> payloads) {
        List<TaskInstance<?>> instances = new ArrayList<>();
        Repeated.times(setup.handlers(), payloads).forEach(payload -> instances.add(instance(payload)));
        transaction.executeWithoutResult(status -> client.scheduleBatch(instances, Instant.now()));
    }

    private TaskInstance<String> instance(String payload) {
        return task.instance(instancePrefix + sequence.incrementAndGet(), payload);
    }

    @Override
    public void startWorkers() {
        scheduler = Scheduler.create(database.dataSource(), task)
            .threads(THREADS)
            .serializer(new Utf8Serializer())
            .pollingInterval(POLLING_INTERVAL)
            .pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT)
            .shutdownMaxWait(Duration.ofSeconds(5))
            .build();
        scheduler.start();
    }

    @Override
    public void stopWorkers() {
        if (scheduler != null) {
            scheduler.stop();
        }
    }

    @Override
    public long unfinished() throws SQLException {
        return database.count("SELECT count(*) FROM scheduled_tasks");
    }

    /** Cheaper than the default Java serialization, to the contender's advantage. */
    private static final class Utf8Serializer implements Serializer {

        @Override
        public byte @Nullable [] serialize(@Nullable Object data) {
            return data == null ? null : ((String) data).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public <T> @Nullable T deserialize(Class<T> type, byte @Nullable [] data) {
            return data == null ? null : type.cast(new String(data, StandardCharsets.UTF_8));
        }

    }

}
