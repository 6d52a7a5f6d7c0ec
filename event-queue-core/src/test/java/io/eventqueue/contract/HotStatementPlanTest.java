package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.HandlerResult;
import io.eventqueue.PublishOptions;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.MutableClock;
import io.eventqueue.testsupport.StatementRecorder;
import io.eventqueue.testsupport.StatementRecorder.Executed;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * With 100,000 events pending, 100,000 notifications due and 100,000 events in the log,
 * the statements of every loop walk their index: none reads a table through, none sorts
 * more than the batch in its hands.
 */
class HotStatementPlanTest {

    private static final int BACKLOG = 100_000;

    private static final double LARGEST_BATCH = 1000;

    record Placed(int number) {
    }

    record Job(int number) {
    }

    private final MutableClock clock = new MutableClock();

    @ParameterizedTest
    @EnumSource(names = { "POSTGRESQL", "MARIADB" })
    void hotStatementsUseTheirIndexes(TestDatabase kind) {
        try (FreshDatabase fresh = kind.create()) {
            SchemaMigration.migrate(fresh.dataSource());
            StatementRecorder recorder = new StatementRecorder(fresh.dataSource());
            EventHandlerRegistry registry = EventHandlerRegistry.eventHandlerRegistry()
                .withHandler(Placed.class, "flaky",
                        event -> event.number() % 2 == 0 ? HandlerResult.success()
                                : HandlerResult.transientError("odd", null))
                .build();
            try (Node node = new Node(recorder, clock, registry)) {
                fill(kind, node, registry);
                analyze(fresh, node);
                recorder.drain();
                recorder.explain(true);

                assertThat(node.queue.poll()).isPresent();
                assertThat(node.queue.poll(Set.of("rare", "absent"), "worker")).isPresent();
                assertThat(node.queue.poll(Set.of("busy"), "worker")).isPresent();
                assertThat(node.queue.poll()).isEmpty();
                List<Executed> pulling = recorder.drain();
                assertWalks(kind, pulling, sql -> sql.contains("SKIP LOCKED") && !sql.contains("event_tags"),
                        "events_pending");
                assertWalks(kind, pulling, sql -> sql.contains("SKIP LOCKED") && sql.contains("event_tags"),
                        "event_tags_pull");

                assertThat(node.fanout.drainOneRound()).isPositive();
                List<Executed> fanout = recorder.drain();
                assertWalks(kind, fanout, sql -> sql.contains("SKIP LOCKED") && sql.contains("_type = "),
                        "events_pending");

                assertThat(node.handling.drainOneRound()).isPositive();
                List<Executed> handling = recorder.drain();
                assertWalks(kind, handling,
                        sql -> sql.contains("SKIP LOCKED") && sql.contains("attempts") && !held(sql),
                        "event_notifications_due");
                if (kind == TestDatabase.POSTGRESQL) {
                    assertWalks(kind, handling, HotStatementPlanTest::held, "events_processing");
                }

                clock.advance(Duration.ofDays(8));
                assertThat(node.handling.drainOneRound()).isPositive();
                // Until all are expired a claim passes over them, so only expiry counts.
                List<Executed> expiry = recorder.drain()
                    .stream()
                    .takeWhile(executed -> !executed.sql().contains("SELECT DISTINCT h.handler_name"))
                    .toList();
                assertWalks(kind, expiry, sql -> sql.contains("SKIP LOCKED") && !sql.contains("attempts"),
                        "event_notifications_open");

                clock.advance(Duration.ofDays(31));
                assertThat(node.handling.prune()).isPositive();
                List<Executed> pruning = recorder.drain();
                assertThat(pruning).hasSizeGreaterThan(5);
                assertWalks(kind, pruning, sql -> sql.contains("finalized_at") && sql.contains("ORDER BY position"),
                        "position");

                Stream.of(pulling, fanout, handling, expiry, pruning)
                    .flatMap(List::stream)
                    .forEach(HotStatementPlanTest::assertReadsNoMoreThanItsBatch);
            }
        }
    }

    /** Half of the events are fanned out; the log is filled with copies under new ids. */
    private static void fill(TestDatabase kind, Node node, EventHandlerRegistry registry) {
        EventFanoutJob fanout = EventFanoutJob.eventFanoutJob()
            .databases(List.of(node.database))
            .eventHandlerRegistry(registry)
            .batchSize(5000)
            .build();
        for (int from = 0; from < 2 * BACKLOG; from += 5000) {
            node.queue.publishAll(IntStream.range(from, from + 5000).mapToObj(Placed::new).toList());
            if (from < BACKLOG) {
                fanout.drainOneRound();
            }
        }
        // Every event of the handler has a tag that workers poll as well.
        node.database.update(
                "INSERT INTO {event_tags} (event_id, tag, event_type, available_at)"
                        + " SELECT id, 'busy', event_type, available_at FROM {events} WHERE status = 'PENDING'",
                Map.of());
        for (String tag : List.of("rare", "rare", "busy")) {
            node.queue.publish(new Job(1), PublishOptions.none().tags(tag));
        }
        String newId = kind == TestDatabase.POSTGRESQL ? "gen_random_uuid()" : "UNHEX(REPLACE(UUID(), '-', ''))";
        String copied = "event_type, payload, namespace, action_id, action_name, action_params, started_date,"
                + " completion_date, event_date, available_at, attempts, retry_count, max_retries, created_at";
        node.database.update("INSERT INTO {event_log} (id, position, seq, status, finalized_at, " + copied + ")"
                + " SELECT " + newId + ", seq, seq, 'COMPLETED', event_date, " + copied
                + " FROM {events} WHERE status = 'DELIVERED'", Map.of());
        node.database.update("UPDATE {event_log_counter} SET position = " + 2 * BACKLOG, Map.of());
        assertThat(List.of(count(node, "{events} WHERE status = 'PENDING'"), count(node, "{event_log}")))
            .containsExactly((long) BACKLOG + 3, (long) BACKLOG);
        assertThat(count(node, "{event_notifications}")).isEqualTo(BACKLOG);
    }

    /** Looks for events that a node claimed whole and whose lease ended. */
    private static boolean held(String sql) {
        return sql.contains("p.handler_name IS NOT NULL AND p.lease_until <");
    }

    private static long count(Node node, String from) {
        return node.database.query("SELECT count(*) FROM " + from, Map.of(), (rs, row) -> rs.getLong(1)).getFirst();
    }

    static void analyze(FreshDatabase fresh, Node node) {
        for (String table : List.of("events", "event_tags", "event_notifications", "event_log")) {
            String name = node.database.dialect().table(table);
            new JdbcTemplate(fresh.dataSource())
                .execute(fresh.jdbcUrl().startsWith("jdbc:postgresql:") ? "ANALYZE " + name : "ANALYZE TABLE " + name);
        }
    }

    private static void assertWalks(TestDatabase kind, List<Executed> statements, Predicate<String> which,
            String index) {
        List<Executed> found = statements.stream().filter(executed -> which.test(executed.sql())).toList();
        assertThat(found).as("statements expected to use %s", index).isNotEmpty();
        for (Executed executed : found) {
            assertThat(executed.plan()).as(executed.sql())
                .contains(index)
                .doesNotContain(kind == TestDatabase.POSTGRESQL ? "Sort" : "filesort");
        }
    }

    private static void assertReadsNoMoreThanItsBatch(Executed executed) {
        assertThat(executed.rowsRead()).as("rows read by %s%n%s", executed.sql(), executed.plan())
            .allMatch(rows -> rows <= LARGEST_BATCH);
    }

}
