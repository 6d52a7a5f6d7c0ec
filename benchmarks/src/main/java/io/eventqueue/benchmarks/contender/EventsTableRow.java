package io.eventqueue.benchmarks.contender;

import io.eventqueue.jdbc.SchemaMigration;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The row of the library's {@code events} table as its publish writes it for an event
 * without tags, in the library's own table.
 */
final class EventsTableRow implements InsertedRow {

    @Override
    public void createTable(Database database) {
        SchemaMigration.migrate(database.dataSource());
    }

    @Override
    public String table() {
        return "eventlog.events";
    }

    @Override
    public String insert() {
        return """
                INSERT INTO eventlog.events (id, status, event_type, payload, headers, event_key, tags, title, description,
                    namespace, action_id, action_name, action_params, started_date, completion_date, model_id, model_type,
                    max_retries, available_at, event_date, created_at, updated_at)
                VALUES (?, 'PENDING', ?, ?::jsonb, NULL, NULL, NULL, NULL, NULL, ?, ?, ?, ?::jsonb, ?, ?, NULL, NULL,
                    3, now(), now(), now(), now())
                """;
    }

    @Override
    public void bind(PreparedStatement insert, String payload) throws SQLException {
        OffsetDateTime now = OffsetDateTime.now(ZoneOffset.UTC);
        UUID id = uuidVersion7(now.toInstant());
        insert.setObject(1, id);
        insert.setString(2, "Event");
        insert.setString(3, "{\"body\":\"" + payload.replace("\"", "\\\"") + "\"}");
        insert.setString(4, "default");
        insert.setObject(5, id);
        insert.setString(6, "publish");
        insert.setString(7, "{}");
        insert.setObject(8, now);
        insert.setObject(9, now);
    }

    private static UUID uuidVersion7(Instant now) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long high = now.toEpochMilli() << 16 | 0x7000 | random.nextInt(0x1000);
        long low = random.nextLong() & 0x3fffffffffffffffL | 0x8000000000000000L;
        return new UUID(high, low);
    }

}
