package io.eventqueue.benchmarks.contender;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The row of the library's {@code events} table as its publish writes it for an event
 * without tags.
 */
final class EventsTableRow implements InsertedRow {

    // Provisional: written from the design before the library's migrations existed.
    // Replace by running those.
    private static final String DDL = """
            CREATE TABLE events (
              id uuid PRIMARY KEY,
              sequence bigint GENERATED ALWAYS AS IDENTITY,
              status varchar(20) NOT NULL,
              event_type varchar(255),
              payload jsonb,
              headers jsonb,
              event_key varchar(255),
              namespace varchar(255),
              action_id uuid,
              action_name varchar(255),
              action_params jsonb,
              started_date timestamptz,
              completion_date timestamptz,
              model_id varchar(255),
              model_type varchar(255),
              event_date timestamptz NOT NULL,
              title varchar(255),
              description text,
              available_at timestamptz NOT NULL,
              attempts int NOT NULL DEFAULT 0,
              max_retries int NOT NULL DEFAULT 3,
              worker_id varchar(255),
              lease_until timestamptz,
              created_at timestamptz NOT NULL DEFAULT now(),
              updated_at timestamptz NOT NULL DEFAULT now());
            CREATE INDEX events_pending ON events (available_at, sequence) WHERE status = 'PENDING'
            """;

    @Override
    public void createTable(Database database) throws SQLException {
        database.execute(DDL);
    }

    @Override
    public String table() {
        return "events";
    }

    @Override
    public String insert() {
        return """
                INSERT INTO events (id, status, event_type, payload, headers, event_date, available_at)
                VALUES (?, 'PENDING', 'OrderPlaced', ?::jsonb, '{}'::jsonb, ?, ?)
                """;
    }

    @Override
    public void bind(PreparedStatement insert, String payload) throws SQLException {
        Instant now = Instant.now();
        insert.setObject(1, uuidVersion7(now));
        insert.setString(2, payload);
        insert.setTimestamp(3, Timestamp.from(now));
        insert.setTimestamp(4, Timestamp.from(now));
    }

    private static UUID uuidVersion7(Instant now) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long high = now.toEpochMilli() << 16 | 0x7000 | random.nextInt(0x1000);
        long low = random.nextLong() & 0x3fffffffffffffffL | 0x8000000000000000L;
        return new UUID(high, low);
    }

}
