package io.eventqueue.benchmarks.contender;

import java.sql.SQLException;
import java.util.List;

/**
 * What hand-written JDBC reaches with one queue table: claim a batch, call the handler,
 * move the batch to a log table. There is no fan-out, so an event for three handlers is
 * three rows.
 */
final class JdbcQueueContender implements Contender {

    private static final int CLAIM_BATCH = 500;

    private static final int CLAIM_WORKERS = 2;

    private static final String DDL = """
            CREATE TABLE queue (
              id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
              type text NOT NULL,
              payload text NOT NULL,
              created_at timestamptz NOT NULL DEFAULT now(),
              status smallint NOT NULL DEFAULT 0,
              attempts int NOT NULL DEFAULT 0,
              locked_by text,
              locked_until timestamptz) WITH (fillfactor = 70);
            CREATE INDEX ON queue (id) WHERE status = 0;
            CREATE TABLE queue_log (
              id bigint PRIMARY KEY,
              type text,
              payload text,
              created_at timestamptz,
              completed_at timestamptz,
              attempts int)
            """;

    private static final String CLAIM = """
            UPDATE queue q
            SET status = 1, locked_by = ?, locked_until = now() + interval '1 min', attempts = attempts + 1
            FROM (SELECT id FROM queue WHERE status = 0 ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED) picked
            WHERE q.id = picked.id
            RETURNING q.id, q.payload
            """;

    private static final String DONE = """
            WITH done AS (
              DELETE FROM queue WHERE id = ANY (?) AND status = 1 AND locked_by = ?
              RETURNING id, type, payload, created_at, attempts)
            INSERT INTO queue_log (id, type, payload, created_at, attempts, completed_at)
            SELECT id, type, payload, created_at, attempts, now() FROM done
            """;

    private final Setup setup;

    private final Database database;

    private final JdbcPublisher publisher;

    private WorkerThreads threads = new WorkerThreads();

    JdbcQueueContender(Setup setup) throws SQLException {
        this.setup = setup;
        this.database = setup.database(16);
        this.publisher = new JdbcPublisher(database.dataSource(), "queue");
        database.createSchema(DDL);
    }

    @Override
    public String version() {
        return "plain JDBC";
    }

    @Override
    public String settings() {
        return "claim %d threads x %d, idle 5 ms, done = DELETE + INSERT into a log, ordered index scans forced"
            .formatted(CLAIM_WORKERS, CLAIM_BATCH);
    }

    @Override
    public void truncate() throws SQLException {
        database.execute("TRUNCATE queue, queue_log RESTART IDENTITY");
    }

    @Override
    public void publish(String payload) throws SQLException {
        if (setup.handlers() == 1) {
            publisher.publish(payload);
        }
        else {
            publishAll(List.of(payload));
        }
    }

    @Override
    public void publishAll(List<String> payloads) throws SQLException {
        publisher.publishAll(Repeated.times(setup.handlers(), payloads));
    }

    @Override
    public void startWorkers() {
        threads = new WorkerThreads();
        for (int i = 0; i < CLAIM_WORKERS; i++) {
            String owner = "worker-" + i;
            threads.start(owner,
                    new ClaimWorker(database.dataSource(), CLAIM, DONE, owner, CLAIM_BATCH, setup.handler()));
        }
    }

    @Override
    public void stopWorkers() throws InterruptedException {
        threads.stop();
    }

    @Override
    public long unfinished() throws SQLException {
        return database.count("SELECT count(*) FROM queue");
    }

}
