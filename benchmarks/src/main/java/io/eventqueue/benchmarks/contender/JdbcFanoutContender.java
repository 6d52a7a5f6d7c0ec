package io.eventqueue.benchmarks.contender;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What hand-written JDBC reaches with an outbox, fan-out, claims and outcomes, and
 * nothing else: no retries, no log, no leases renewed.
 *
 * <ol>
 * <li>Publish: INSERT into outbox_event.
 * <li>One thread marks 1,000 events as fanned out and inserts a delivery for each
 * handler, in one statement.
 * <li>Two threads claim 500 deliveries each, call the handler, and mark them done in one
 * statement.
 * </ol>
 */
final class JdbcFanoutContender implements Contender {

    private static final int FANOUT_BATCH = 1000;

    private static final int CLAIM_BATCH = 500;

    private static final int CLAIM_WORKERS = 2;

    private static final String DDL = """
            CREATE TABLE outbox_event (
              id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
              type text NOT NULL,
              payload text NOT NULL,
              created_at timestamptz NOT NULL DEFAULT now(),
              fanned_out boolean NOT NULL DEFAULT false);
            CREATE INDEX ON outbox_event (id) WHERE NOT fanned_out;
            CREATE TABLE delivery (
              id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
              event_id bigint NOT NULL,
              handler text NOT NULL,
              status smallint NOT NULL DEFAULT 0,
              attempts int NOT NULL DEFAULT 0,
              next_attempt_at timestamptz NOT NULL DEFAULT now(),
              locked_by text,
              locked_until timestamptz,
              completed_at timestamptz) WITH (fillfactor = 70);
            CREATE INDEX ON delivery (next_attempt_at, id) WHERE status = 0;
            CREATE INDEX ON delivery (locked_until) WHERE status = 1
            """;

    private static final String FAN_OUT = """
            WITH picked AS (
              SELECT id FROM outbox_event WHERE NOT fanned_out ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED),
            marked AS (
              UPDATE outbox_event e SET fanned_out = true FROM picked WHERE e.id = picked.id)
            INSERT INTO delivery (event_id, handler)
            SELECT picked.id, handler FROM picked CROSS JOIN unnest(?::text[]) handler
            """;

    private static final String CLAIM = """
            UPDATE delivery d
            SET status = 1, locked_by = ?, locked_until = now() + interval '1 min', attempts = attempts + 1
            FROM (SELECT id FROM delivery WHERE status = 0 AND next_attempt_at <= now()
                  ORDER BY next_attempt_at, id LIMIT ? FOR UPDATE SKIP LOCKED) picked, outbox_event e
            WHERE d.id = picked.id AND e.id = d.event_id
            RETURNING d.id, e.payload
            """;

    private static final String DONE = """
            UPDATE delivery SET status = 2, completed_at = now(), locked_by = NULL, locked_until = NULL
            WHERE id = ANY (?) AND status = 1 AND locked_by = ?
            """;

    private final Setup setup;

    private final Database database;

    private final JdbcPublisher publisher;

    private WorkerThreads threads = new WorkerThreads();

    JdbcFanoutContender(Setup setup) throws SQLException {
        this.setup = setup;
        this.database = setup.database(16);
        this.publisher = new JdbcPublisher(database.dataSource(), "outbox_event");
        database.createSchema(DDL);
    }

    @Override
    public String version() {
        return "plain JDBC";
    }

    @Override
    public String settings() {
        return "fan-out 1 thread x %d, claim %d threads x %d, idle 5 ms, done = UPDATE, ordered index scans forced"
            .formatted(FANOUT_BATCH, CLAIM_WORKERS, CLAIM_BATCH);
    }

    @Override
    public void truncate() throws SQLException {
        database.execute("TRUNCATE outbox_event, delivery RESTART IDENTITY");
    }

    @Override
    public void publish(String payload) throws SQLException {
        publisher.publish(payload);
    }

    @Override
    public void publishAll(List<String> payloads) throws SQLException {
        publisher.publishAll(payloads);
    }

    @Override
    public void startWorkers() {
        threads = new WorkerThreads();
        threads.start("fan-out", this::fanOut);
        for (int i = 0; i < CLAIM_WORKERS; i++) {
            String owner = "worker-" + i;
            threads.start(owner,
                    new ClaimWorker(database.dataSource(), CLAIM, DONE, owner, CLAIM_BATCH, setup.handler()));
        }
    }

    private void fanOut(WorkerThreads running) throws Exception {
        try (Connection connection = IndexScanSession.open(database.dataSource());
                PreparedStatement fanOut = connection.prepareStatement(FAN_OUT)) {
            Object[] names = IntStream.range(0, setup.handlers()).mapToObj(i -> "handler-" + i).toArray();
            Array handlers = connection.createArrayOf("text", names);
            running.repeat(() -> {
                fanOut.setInt(1, FANOUT_BATCH);
                fanOut.setArray(2, handlers);
                return fanOut.executeUpdate() > 0;
            });
        }
    }

    @Override
    public void stopWorkers() throws InterruptedException {
        threads.stop();
    }

    @Override
    public long unfinished() throws SQLException {
        return database.count("""
                SELECT (SELECT count(*) FROM outbox_event WHERE NOT fanned_out)
                     + (SELECT count(*) FROM delivery WHERE status < 2)
                """);
    }

}
