package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventStatus;
import io.eventqueue.HandlerResult;
import io.eventqueue.QueuedEvent;
import io.eventqueue.jdbc.Dialect;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.MutableClock;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListSet;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A database as the first release made it, with rows in every state, is migrated to this
 * release, and this release goes on with it.
 */
class UpgradeTest {

    private static final String FIRST_VERSION = "1";

    record Placed(int number) {
    }

    private final MutableClock clock = new MutableClock();

    private final Set<Integer> seen = new ConcurrentSkipListSet<>();

    @ParameterizedTest
    @EnumSource(names = { "POSTGRESQL", "MARIADB", "H2" })
    void rowsInEveryStateGoOn(TestDatabase kind) {
        try (FreshDatabase fresh = kind.create()) {
            migrateToFirstVersion(fresh);
            Node node = new Node(fresh.dataSource(), clock,
                    EventHandlerRegistry.eventHandlerRegistry().withHandler(Placed.class, "a", event -> {
                        seen.add(event.number());
                        return HandlerResult.success();
                    }).build());
            UUID logged = fill(node);
            SchemaMigration.migrate(fresh.dataSource());
            node.drain();
            assertThat(seen).as("pending, failed and abandoned ones").isEqualTo(new TreeSet<>(List.of(1, 2, 3, 4)));
            Map<String, Integer> states = new TreeMap<>();
            node.database.query("SELECT state FROM {event_notifications}", Map.of(),
                    (rs, row) -> states.merge(rs.getString(1), 1, Integer::sum));
            assertThat(states).isEqualTo(Map.of("SUCCEEDED", 5, "DEAD", 1, "EXPIRED", 1));
            QueuedEvent pulled = node.queue.poll().orElseThrow();
            assertThat(pulled.eventType()).as("the one whose worker was gone").isEqualTo("Pulled");
            assertThat(pulled.attempts()).isEqualTo(2);
            assertThat(node.queue.find(logged).orElseThrow().status()).isEqualTo(EventStatus.COMPLETED);
        }
    }

    private static void migrateToFirstVersion(FreshDatabase fresh) {
        Dialect dialect = Dialect.of(fresh.dataSource());
        FluentConfiguration flyway = Flyway.configure()
            .dataSource(fresh.dataSource())
            .locations("classpath:io/eventqueue/migration/" + dialect.key())
            .table("eventlog_schema_history")
            .baselineOnMigrate(true)
            .baselineVersion("0")
            .target(FIRST_VERSION);
        if (dialect.table("").endsWith(".")) {
            String schema = dialect == Dialect.H2 ? "EVENTLOG" : "eventlog";
            flyway.schemas(schema).defaultSchema(schema).createSchemas(true);
        }
        flyway.load().migrate();
    }

    private UUID fill(Node node) {
        event(node, "PENDING", "Placed", 1, "1");
        notification(node, event(node, "DELIVERED", "Placed", 2, "1"), 2, "PENDING", 0, null);
        notification(node, event(node, "DELIVERED", "Placed", 3, "1"), 3, "FAILED", 4, null);
        notification(node, event(node, "DELIVERED", "Placed", 4, "1"), 4, "PENDING", 1, "a node of long ago");
        notification(node, event(node, "DELIVERED", "Placed", 5, "1"), 5, "SUCCEEDED", 1, null);
        notification(node, event(node, "DELIVERED", "Placed", 6, "1"), 6, "DEAD", 3, null);
        notification(node, event(node, "DELIVERED", "Placed", 7, "1"), 7, "EXPIRED", 0, null);
        event(node, "PROCESSING", "Pulled", 8, "1");
        UUID logged = UUID.randomUUID();
        node.database.update("""
                INSERT INTO {event_log} (id, position, seq, status, event_type, payload, namespace, action_id,
                    action_name, action_params, started_date, completion_date, event_date, available_at, attempts,
                    retry_count, max_retries, created_at, finalized_at)
                VALUES (:id, 1, 1, 'COMPLETED', 'Placed', {json:payload}, 'default', :id, 'publish', {json:none},
                    {now}, {now}, {now}, {now}, 1, 0, 3, {now}, {now})
                """, parameters(node, logged, 9));
        node.database.update("UPDATE {event_log_counter} SET position = 1", Map.of());
        clock.advance(Duration.ofMinutes(10));
        return logged;
    }

    private UUID event(Node node, String status, String type, int number, String attempts) {
        UUID id = UUID.randomUUID();
        Map<String, Object> parameters = parameters(node, id, number);
        parameters.put("status", status);
        parameters.put("type", type);
        node.database
            .update("""
                    INSERT INTO {events} (id, status, event_type, payload, namespace, action_id, action_name, action_params,
                        started_date, completion_date, event_date, available_at, attempts, worker_id, lease_until, created_at,
                        updated_at)
                    VALUES (:id, :status, :type, {json:payload}, 'default', :id, 'publish', {json:none}, {now}, {now}, {now},
                        {now}, %s, 'a worker of long ago', {now}, {now}, {now})
                    """
                .formatted(status.equals("PROCESSING") ? attempts : "0"), parameters);
        return id;
    }

    private static void notification(Node node, UUID event, int number, String state, int attempts, String owner) {
        Map<String, Object> parameters = parameters(node, event, number);
        parameters.put("notification", node.database.dialect().id(UUID.randomUUID()));
        parameters.put("state", state);
        parameters.put("attempts", attempts);
        parameters.put("owner", owner);
        node.database.update(
                """
                        INSERT INTO {event_notifications} (id, event_id, handler_name, namespace, action_id, action_name,
                            action_params, started_date, completion_date, event_type, payload, event_seq, event_date, available_at,
                            state, attempts, next_retry_at, owner, lease_until, created_date, updated_date)
                        VALUES (:notification, :id, 'a', 'default', :id, 'publish', {json:none}, {now}, {now}, 'Placed',
                            {json:payload}, 1, {now}, {now}, :state, :attempts, {now}, :owner, {now}, {now}, {now})
                        """,
                parameters);
    }

    private static Map<String, Object> parameters(Node node, UUID id, int number) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("id", node.database.dialect().id(id));
        parameters.put("payload", "{\"number\":" + number + "}");
        parameters.put("none", "{}");
        return parameters;
    }

}
