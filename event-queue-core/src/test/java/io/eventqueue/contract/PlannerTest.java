package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.HandlerResult;
import io.eventqueue.testsupport.StatementRecorder;
import io.eventqueue.testsupport.StatementRecorder.Executed;
import io.eventqueue.testsupport.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Three traps of PostgreSQL's planner, each of which turned a fast queue into a slow one
 * or a wrong one when it was left open.
 */
class PlannerTest extends DatabaseContract {

    private static final int BATCH = 50;

    private static final Predicate<Executed> CLAIM = executed -> executed.sql().contains("WITH due AS");

    private static final Predicate<Executed> WHOLE = executed -> executed.sql().contains("WITH c AS");

    record Placed(int number) {
    }

    private StatementRecorder recorder;

    private Node node;

    PlannerTest() {
        super(TestDatabase.POSTGRESQL);
    }

    @BeforeEach
    void createNode() {
        recorder = new StatementRecorder(fresh.dataSource());
        node = opened(new Node(recorder, clock,
                handlers().withHandler(Placed.class, "h", event -> HandlerResult.success()).build(),
                settings -> settings.batchSize(BATCH)));
    }

    /** A bitmap scan reads all entries of an index, also those of rows long gone. */
    @Test
    void aClaimReadsItsIndexInOrderAndNoFurtherThanItsBatch() throws Exception {
        try (Connection other = fresh.dataSource().getConnection(); Statement open = other.createStatement()) {
            other.setAutoCommit(false);
            open.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            open.execute("SELECT count(*) FROM eventlog.events");
            publish(5_000);
            node.drain();
            publish(20_000);
            fanOutAll();
            execute("ANALYZE eventlog.event_notifications");
            assertSteady(claims(8), CLAIM, "event_notifications_due");
        }
    }

    /** Statistics of an empty table say that reading all of it is cheapest. */
    @Test
    void thePlanDoesNotDependOnWhenStatisticsWereTaken() {
        takeStatisticsOfEmptyTables();
        publish(20_000);
        fanOutAll();
        // More often than the driver and the server need to keep one plan for all.
        assertSteady(claims(15), CLAIM, "event_notifications_due");
    }

    @Test
    void norDoesThePlanForWholeEvents() {
        takeStatisticsOfEmptyTables();
        publish(20_000);
        node.handling.start();
        recorder.drain();
        recorder.explain(true);
        for (int i = 0; i < 15; i++) {
            node.fanout.drainOneRound();
        }
        assertSteady(recorder.drain(), WHOLE, "events_pending");
    }

    /** A join with a locking sub-select may run it again, and claim more. */
    @Test
    void aClaimSelectsOnceAndTakesWhatItSelected() {
        publish(2_000);
        fanOutAll();
        for (Executed claim : claims(5).stream().filter(CLAIM).toList()) {
            assertThat(claim.plan()).containsPattern("LockRows .*actual [^\\n]*rows=" + BATCH + "\\.?0* loops=1\\)")
                .containsPattern("Update on event_notifications n .*rows=" + BATCH + "\\.?0* loops=1\\)");
        }
        assertThat(count(node, "SELECT count(*) FROM {event_notifications} WHERE attempts > 0")).isEqualTo(5 * BATCH);
    }

    private List<Executed> claims(int rounds) {
        recorder.drain();
        recorder.explain(true);
        for (int i = 0; i < rounds; i++) {
            node.handling.drainOneRound();
        }
        recorder.explain(false);
        return recorder.drain();
    }

    private static void assertSteady(List<Executed> executed, Predicate<Executed> which, String index) {
        List<Executed> found = executed.stream().filter(which).toList();
        assertThat(found).hasSizeGreaterThan(3);
        for (Executed statement : found) {
            assertThat(statement.plan()).contains("Index Scan using " + index)
                .doesNotContain("Bitmap", "Seq Scan", "Sort");
            assertThat(statement.rowsRead()).allMatch(rows -> rows <= 1000);
        }
    }

    private void takeStatisticsOfEmptyTables() {
        for (String table : List.of("events", "event_notifications", "event_handlers")) {
            execute("ANALYZE eventlog." + table);
        }
    }

    private void publish(int events) {
        for (int from = 0; from < events; from += 1000) {
            node.queue.publishAll(IntStream.range(from, Math.min(events, from + 1000)).mapToObj(Placed::new).toList());
        }
    }

    private void fanOutAll() {
        while (node.fanout.drainOneRound() > 0) {
            // until all are
        }
    }

    private void execute(String sql) {
        new JdbcTemplate(fresh.dataSource()).execute(sql);
    }

}
