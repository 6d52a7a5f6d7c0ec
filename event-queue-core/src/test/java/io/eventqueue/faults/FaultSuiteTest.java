package io.eventqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.eventqueue.Shard;
import io.eventqueue.faults.Saboteur.Named;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.outbox.TransactionalEventQueue;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.RestartablePostgreSql;
import io.eventqueue.testsupport.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Three nodes, each a process, work on one database while a publisher publishes and a
 * saboteur acts. After each round an independent {@link Checker} looks for anything that
 * was lost, done twice or done without a commit.
 *
 * <p>
 * {@code -Dfaults.rounds=50} goes on for longer, {@code -Dfaults.seed=...} repeats the
 * faults of an earlier run.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "pauses processes by signal")
class FaultSuiteTest {

    private static final Logger log = LoggerFactory.getLogger(FaultSuiteTest.class);

    private static final int ROUNDS = Integer.getInteger("faults.rounds", 2);

    private static final int FAULTS_PER_ROUND = 6;

    private static final int NODES = 3;

    @TempDir
    private Path directory;

    private final Path logs = Path.of("target", "faults", Long.toString(System.currentTimeMillis()));

    private final AtomicInteger numbers = new AtomicInteger();

    private final List<NodeProcess> nodes = new ArrayList<>();

    @Test
    void nothingIsLostOnPostgreSql() throws Exception {
        try (RestartablePostgreSql server = new RestartablePostgreSql(directory.resolve("data"));
                CuttingProxy proxy = new CuttingProxy(server.port());
                HikariDataSource direct = pool(server.port());
                HikariDataSource cut = pool(proxy.port())) {
            SchemaMigration.migrate(direct);
            JdbcTemplate jdbc = new JdbcTemplate(direct);
            createTables(jdbc);
            watchOwners(jdbc);
            watchHandovers(jdbc);
            startNodes("jdbc:postgresql://localhost:" + server.port() + "/postgres?ApplicationName=", "postgres",
                    "postgres");
            List<Named> faults = new ArrayList<>(Saboteur.onNodes(nodes));
            faults.add(new Named("crash and restart of PostgreSQL", random -> server.crashAndRestart()));
            faults.add(new Named("sessions are terminated", random -> jdbc
                .queryForList("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND random() < 0.5")));
            faults.add(new Named("a commit without an answer", random -> proxy.cutNextCommit()));
            faults.add(Saboteur.lockWait(direct, "eventlog."));
            faults.add(Saboteur.deadlock(direct, "eventlog."));
            run(faults, cut, new Checker(jdbc, "eventlog.", "CAST(payload ->> 'number' AS INT)"));
            assertThat(jdbc.queryForObject("SELECT count(*) FROM handed_over", Long.class))
                .as("events handed over by the commit")
                .isPositive();
        }
        finally {
            nodes.forEach(NodeProcess::close);
        }
    }

    @Test
    void nothingIsLostOnMariaDb() throws Exception {
        try (FreshDatabase fresh = TestDatabase.MARIADB.create()) {
            SchemaMigration.migrate(fresh.dataSource());
            JdbcTemplate jdbc = new JdbcTemplate(fresh.dataSource());
            createTables(jdbc);
            startNodes(fresh.jdbcUrl() + "?connectionAttributes=node:", fresh.user(), fresh.password());
            List<Named> faults = new ArrayList<>(Saboteur.onNodes(nodes));
            faults.add(new Named("sessions are killed", random -> {
                for (Long id : jdbc.queryForList("SELECT ID FROM information_schema.PROCESSLIST"
                        + " WHERE DB = DATABASE() AND ID <> CONNECTION_ID() AND RAND() < 0.5", Long.class)) {
                    try {
                        jdbc.execute("KILL " + id);
                    }
                    catch (org.springframework.dao.DataAccessException e) {
                        log.info("Session {} was gone already", id);
                    }
                }
            }));
            faults.add(Saboteur.lockWait(fresh.dataSource(), "eventlog_"));
            faults.add(Saboteur.deadlock(fresh.dataSource(), "eventlog_"));
            try (HikariDataSource pool = fresh.newPool(4)) {
                run(faults, pool, new Checker(jdbc, "eventlog_", "CAST(JSON_VALUE(payload, '$.number') AS INT)"));
            }
        }
        finally {
            nodes.forEach(NodeProcess::close);
        }
    }

    private void run(List<Named> faults, HikariDataSource publisherPool, Checker checker) throws Exception {
        long seed = Long.getLong("faults.seed", System.nanoTime());
        log.info("faults.seed={}, {} rounds", seed, ROUNDS);
        Saboteur saboteur = new Saboteur(faults, seed);
        TransactionTemplate transactions = new TransactionTemplate(new DataSourceTransactionManager(publisherPool));
        JdbcTemplate jdbc = new JdbcTemplate(publisherPool);
        TransactionalEventQueue queue = TransactionalEventQueue.eventQueue(Database.of(Shard.of("main", publisherPool)))
            .build();
        for (int round = 1; round <= ROUNDS; round++) {
            String where = "round " + round + " of -Dfaults.rounds=" + ROUNDS + " -Dfaults.seed=" + seed;
            try (Publisher publisher = new Publisher(transactions, jdbc, queue, seed + round, numbers)) {
                saboteur.strike(FAULTS_PER_ROUND);
            }
            for (NodeProcess node : nodes) {
                node.resume();
                assertThat(node.isAlive()).as("a node ended by itself in " + where).isTrue();
            }
            try {
                await().atMost(Duration.ofMinutes(3))
                    .pollInterval(Duration.ofMillis(200))
                    .ignoreExceptions()
                    .until(checker::everythingIsDone);
                checker.check();
            }
            catch (AssertionError | ConditionTimeoutException e) {
                throw new AssertionError("In " + where + ", with the nodes' logs in " + logs + ": " + e.getMessage()
                        + ", unfinished: " + checker.unfinished(), e);
            }
            log.info("{}: {} events, nothing lost", where, checker.count("event_log"));
        }
        assertThat(checker.count("event_log")).as("events published at all").isPositive();
    }

    private static HikariDataSource pool(int port) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl("jdbc:postgresql://localhost:" + port + "/postgres");
        pool.setUsername("postgres");
        pool.setPassword("postgres");
        pool.setMaximumPoolSize(4);
        pool.setConnectionTimeout(5000);
        return pool;
    }

    private void startNodes(String urlPrefix, String user, String password) throws Exception {
        Files.createDirectories(logs);
        for (int i = 0; i < NODES; i++) {
            nodes.add(new NodeProcess(logs.resolve("node-" + i + ".log"), urlPrefix, user, password));
        }
    }

    private static void createTables(JdbcTemplate jdbc) {
        jdbc.execute("CREATE TABLE published (number INT NOT NULL PRIMARY KEY)");
        jdbc.execute("CREATE TABLE effects (number INT NOT NULL, handler VARCHAR(20) NOT NULL)");
        jdbc.execute("CREATE INDEX effects_number ON effects (number)");
        jdbc.execute("CREATE TABLE projected (number INT NOT NULL, position BIGINT NOT NULL)");
        jdbc.execute("CREATE TABLE stale_outcomes (notification VARCHAR(100))");
    }

    /** Notes every outcome that comes from another process than the owner. */
    private static void watchOwners(JdbcTemplate jdbc) {
        jdbc.execute("""
                CREATE FUNCTION note_stale_outcome() RETURNS trigger AS $$
                BEGIN
                    IF OLD.owner IS NOT NULL AND NEW.state <> OLD.state
                            AND OLD.owner NOT LIKE '%:' || current_setting('application_name') || ':%' THEN
                        INSERT INTO stale_outcomes VALUES (OLD.id || ' of ' || OLD.owner || ' by '
                            || current_setting('application_name'));
                    END IF;
                    RETURN NEW;
                END
                $$ LANGUAGE plpgsql""");
        jdbc.execute("CREATE TRIGGER note_stale_outcome BEFORE UPDATE ON eventlog.event_notifications"
                + " FOR EACH ROW EXECUTE FUNCTION note_stale_outcome()");
    }

    private static void watchHandovers(JdbcTemplate jdbc) {
        jdbc.execute("CREATE TABLE handed_over (id UUID NOT NULL)");
        jdbc.execute("""
                CREATE FUNCTION note_handover() RETURNS trigger AS $$
                BEGIN
                    INSERT INTO handed_over VALUES (NEW.id);
                    RETURN NEW;
                END
                $$ LANGUAGE plpgsql""");
        jdbc.execute("CREATE TRIGGER note_handover AFTER INSERT ON eventlog.events FOR EACH ROW"
                + " WHEN (NEW.status = 'PROCESSING') EXECUTE FUNCTION note_handover()");
    }

}
