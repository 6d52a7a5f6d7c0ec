package io.eventqueue.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.EventStatus;
import io.eventqueue.NotificationState;
import io.eventqueue.Shard;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.jdbc.core.JdbcTemplate;

/** Watching a large backlog costs what watching a small one does. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BacklogPlanTest {

    private static final int ROWS = 100_000;

    private FreshDatabase fresh;

    private Database database;

    @BeforeAll
    void createBacklog() {
        fresh = TestDatabase.POSTGRESQL.create();
        SchemaMigration.migrate(fresh.dataSource());
        database = Database.of(Shard.of("main", fresh.dataSource()));
        JdbcTemplate jdbc = new JdbcTemplate(fresh.dataSource());
        for (String status : List.of("PENDING", "PROCESSING", "DELIVERED")) {
            jdbc.update(
                    """
                            INSERT INTO eventlog.events (id, status, event_type, namespace, action_id, action_name, action_params,
                                started_date, completion_date, event_date, available_at, lease_until, created_at, updated_at)
                            SELECT gen_random_uuid(), ?, CASE i % 3 WHEN 0 THEN 'Placed' WHEN 1 THEN 'Shipped' ELSE 'Unsubscribed' END,
                                'default', gen_random_uuid(), 'publish', '{}', now(), now(), now() - i * interval '1 ms',
                                now() - i * interval '1 ms', now(), now(), now()
                            FROM generate_series(1, ?) i""",
                    status, ROWS);
        }
        for (String state : List.of("WAITING", "PENDING", "FAILED", "DEAD", "EXPIRED", "SUCCEEDED")) {
            jdbc.update(
                    """
                            INSERT INTO eventlog.event_notifications (id, event_id, handler_name, event_type, namespace, action_id,
                                action_name, action_params, started_date, completion_date, event_date, available_at, event_seq, state,
                                next_retry_at, created_date, updated_date)
                            SELECT gen_random_uuid(), gen_random_uuid(), 'handler-' || i % 5, 'Placed', 'default', gen_random_uuid(),
                                'publish', '{}', now(), now(), now(), now(), i, ?, now() - i * interval '1 ms', now(), now()
                            FROM generate_series(1, ?) i""",
                    state, ROWS);
        }
        jdbc.update("""
                INSERT INTO eventlog.event_handlers (handler_name, event_type, priority, paused, retired, last_seen)
                SELECT 'handler-' || i % 5, CASE i % 2 WHEN 0 THEN 'Placed' ELSE 'Shipped' END, 0, false, false, now()
                FROM generate_series(0, 9) i""");
        jdbc.execute("VACUUM ANALYZE");
    }

    @AfterAll
    void drop() {
        fresh.close();
    }

    @Test
    void countsStopAtTheLimit() {
        Backlog.Depth depth = new Backlog(database).depth();

        assertThat(depth.events()).containsOnly(Map.entry(EventStatus.PENDING, Backlog.LIMIT),
                Map.entry(EventStatus.PROCESSING, Backlog.LIMIT));
        assertThat(depth.notifications()).hasSize(5).allSatisfy(this::atTheLimit);
        assertThat(depth.oldestPendingAge()).isGreaterThan(Duration.ofSeconds(99));
        assertThat(new Backlog(database).openByHandler(List.of("handler-1", "nobody")))
            .containsOnly(Map.entry("handler-1", Backlog.HANDLER_LIMIT), Map.entry("nobody", 0));
    }

    private void atTheLimit(NotificationState state, int count) {
        assertThat(count).as(state.name()).isEqualTo(Backlog.LIMIT);
    }

    @Test
    void noTableIsScannedAndNoIndexReadBeyondTheLimit() {
        String plan = explain(Backlog.DEPTH, Backlog.PARAMETERS);

        assertThat(plan.lines().filter(line -> line.contains("Scan") && line.matches(".* on (events|event_notif).*")))
            .as(plan)
            .hasSize(9)
            .allMatch(line -> line.contains("Index Only Scan using"))
            .allMatch(line -> rowsRead(line) <= Backlog.LIMIT);
    }

    /** Actual rows of a plan node. */
    private static double rowsRead(String line) {
        return Double.parseDouble(line.replaceAll(".*actual rows=([0-9.]+) .*", "$1"));
    }

    private String explain(String sql, Map<String, Object> parameters) {
        return database.inOwnTransaction(
                () -> String.join("\n", database.steadyQuery("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) " + sql,
                        parameters, true, (rs, row) -> rs.getString(1))));
    }

}
