package io.eventqueue.jdbc;

import io.eventqueue.UnsupportedDatabaseException;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.SqlArrayValue;
import org.springframework.transaction.TransactionDefinition;

/**
 * What differs between the databases. SQL elsewhere is written once, with these tokens:
 *
 * <ul>
 * <li>{@code {events}} and the like: the table's qualified name
 * <li>{@code {now}}: the database's UTC time; {@code {now+:micros}}: that many
 * microseconds later
 * <li>{@code {any:ids}}: membership in a list parameter
 * <li>{@code {json:x}}: a JSON parameter; {@code {json}} and {@code {now+}}: the same for
 * positional parameters
 * <li>{@code {pending_type}}, {@code {processing_until}}, {@code {open_handler}},
 * {@code {open_since}}, {@code {dead_state}}, {@code {dead_at}}: the event type of
 * pending events, the lease of those workers hold, the handler and due date of open
 * notifications, the state and end of dead letters; the column that an index over such
 * rows only is on, null in others
 * <li>{@code {pending_types}}: a table of the types of pending events;
 * {@code {tag_types}}: one of tag and type, for the parameter {@code :tags}
 * <li>{@code {skip_locked:e}}: locks the rows of {@code e} that nobody else has locked
 * <li>{@code {index:name}}: makes a database that guesses use that index
 * </ul>
 */
public enum Dialect {

    POSTGRESQL("postgresql", "eventlog.", "statement_timestamp()") {
        @Override
        String plus(String now, String micros) {
            return "(" + now + " + " + micros + " * interval '1 microsecond')";
        }

        @Override
        String membership(String parameter) {
            return "= ANY(:" + parameter + ")";
        }

        @Override
        public Object ids(Collection<UUID> ids) {
            return new SqlArrayValue("uuid", ids.toArray());
        }

        @Override
        public Object strings(Collection<String> values) {
            return new SqlArrayValue("text", values.toArray());
        }

        @Override
        String json(String parameter) {
            return "CAST(" + parameter + " AS jsonb)";
        }

        @Override
        String openRowsColumn(String generated) {
            return switch (generated) {
                case "pending_type" -> "event_type";
                case "processing_until" -> "lease_until";
                case "pending_key" -> "event_key";
                case "open_handler" -> "handler_name";
                case "open_lane" -> "lane";
                case "dead_state" -> "state";
                case "dead_at" -> "updated_date";
                default -> "available_at";
            };
        }
    },
    MARIADB("mariadb", "eventlog_", "UTC_TIMESTAMP(6)"), MYSQL("mysql", "eventlog_", "UTC_TIMESTAMP(6)"),
    H2("h2", "eventlog.", "CURRENT_TIMESTAMP(6)") {
        @Override
        String json(String parameter) {
            return parameter + " FORMAT JSON";
        }
    };

    /** Rows of {@code event_key_locks}, where there is one. */
    private static final int KEY_SLOTS = 1000;

    private final String key;

    private final String tablePrefix;

    private final String now;

    Dialect(String key, String tablePrefix, String now) {
        this.key = key;
        this.tablePrefix = tablePrefix;
        this.now = now;
    }

    /** Asks the database what it is; an unknown one is refused. */
    public static Dialect of(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            String product = connection.getMetaData().getDatabaseProductName();
            String version = connection.getMetaData().getDatabaseProductVersion();
            return of(product, version);
        }
        catch (SQLException e) {
            throw new org.springframework.jdbc.CannotGetJdbcConnectionException(
                    "Cannot ask the database which product it is", e);
        }
    }

    static Dialect of(String product, String version) {
        String name = product.toLowerCase(Locale.ROOT);
        if (name.contains("mariadb")
                || (name.contains("mysql") && version.toLowerCase(Locale.ROOT).contains("mariadb"))) {
            return MARIADB;
        }
        return switch (name) {
            case "postgresql" -> POSTGRESQL;
            case "mysql" -> MYSQL;
            case "h2" -> H2;
            default -> throw new UnsupportedDatabaseException("The DataSource is a " + product + " " + version
                    + " database. event-queue runs on PostgreSQL 14+, MariaDB 10.6+, MySQL 8+ and H2:"
                    + " point it at one of these (with several DataSources, choose one by event-queue.datasource).");
        };
    }

    /** Folder of the migrations, and the name used in messages. */
    public String key() {
        return key;
    }

    /** The qualified name of a table. */
    public String table(String name) {
        return tablePrefix + name;
    }

    String now() {
        return now;
    }

    /** One statement can change rows and return them, and CTEs can write. */
    public boolean writesInQueries() {
        return this == POSTGRESQL;
    }

    /** NOTIFY wakes other nodes. */
    public boolean notifies() {
        return this == POSTGRESQL;
    }

    /**
     * The isolation of transactions that finish a delivery. InnoDB's default locks gaps,
     * so a scan for work would block publishers, and does not see what others finished
     * meanwhile; READ COMMITTED does.
     */
    public int isolation() {
        return isMySqlFamily() ? TransactionDefinition.ISOLATION_READ_COMMITTED
                : TransactionDefinition.ISOLATION_DEFAULT;
    }

    private boolean isMySqlFamily() {
        return this == MARIADB || this == MYSQL;
    }

    String plus(String nowExpression, String micros) {
        return "TIMESTAMPADD(MICROSECOND, " + micros + ", " + nowExpression + ")";
    }

    String membership(String parameter) {
        return "IN (:" + parameter + ")";
    }

    /** The value of a list parameter used with {@code {any:...}}; never empty. */
    public Object ids(Collection<UUID> ids) {
        return ids.stream().map(this::id).toList();
    }

    public Object strings(Collection<String> values) {
        return List.copyOf(values);
    }

    public Object id(UUID id) {
        if (!isMySqlFamily()) {
            return id;
        }
        return ByteBuffer.allocate(16)
            .putLong(id.getMostSignificantBits())
            .putLong(id.getLeastSignificantBits())
            .array();
    }

    public UUID id(ResultSet rs, String column) throws SQLException {
        if (!isMySqlFamily()) {
            return rs.getObject(column, UUID.class);
        }
        ByteBuffer bytes = ByteBuffer.wrap(rs.getBytes(column));
        return new UUID(bytes.getLong(), bytes.getLong());
    }

    public Object timestamp(Instant instant) {
        return isMySqlFamily() ? LocalDateTime.ofInstant(instant, ZoneOffset.UTC)
                : OffsetDateTime.ofInstant(instant, ZoneOffset.UTC);
    }

    public Instant instant(ResultSet rs, String column) throws SQLException {
        Instant instant = instantOrNull(rs, column);
        if (instant == null) {
            throw new SQLException("Column " + column + " is null");
        }
        return instant;
    }

    public @Nullable Instant instantOrNull(ResultSet rs, String column) throws SQLException {
        if (isMySqlFamily()) {
            LocalDateTime local = rs.getObject(column, LocalDateTime.class);
            return local == null ? null : local.toInstant(ZoneOffset.UTC);
        }
        OffsetDateTime zoned = rs.getObject(column, OffsetDateTime.class);
        return zoned == null ? null : zoned.toInstant();
    }

    String json(String parameter) {
        return parameter;
    }

    String openRowsColumn(String generated) {
        return generated;
    }

    /** How {@code {pending_type}} of an action that raised nothing compares. */
    public String ofSentinel() {
        return this == POSTGRESQL ? "IS NULL" : "= ''";
    }

    String forcedIndex(String index) {
        return isMySqlFamily() ? "FORCE INDEX (" + index + ")" : "";
    }

    /**
     * The types of pending events, found by hopping along the index from one type to the
     * next, so that it does not matter how many events a type has. MariaDB and MySQL do
     * so by themselves for DISTINCT.
     */
    String pendingTypes() {
        String events = table("events") + " e " + forcedIndex(table("events_pending"));
        if (this != POSTGRESQL) {
            return "(SELECT DISTINCT e.pending_type AS event_type FROM " + events + " WHERE e.pending_type > '')";
        }
        String next = "SELECT e.event_type FROM " + events + " WHERE %s AND e.status = 'PENDING'"
                + " ORDER BY e.event_type LIMIT 1";
        return """
                (WITH RECURSIVE hop(event_type) AS (
                    SELECT (%s)
                    UNION ALL
                    SELECT (%s) FROM hop WHERE hop.event_type IS NOT NULL)
                SELECT event_type FROM hop WHERE event_type IS NOT NULL)
                """.formatted(next.formatted("e.event_type IS NOT NULL"),
                next.formatted("e.event_type > hop.event_type"));
    }

    /** As {@link #pendingTypes()}, for each of the tags. */
    String tagTypes() {
        String tags = table("event_tags") + " t " + forcedIndex(table("event_tags_pull"));
        if (this != POSTGRESQL) {
            return "(SELECT DISTINCT t.tag, t.event_type FROM " + tags + " WHERE t.tag IN (:tags))";
        }
        String next = "SELECT t.event_type FROM " + tags + " WHERE %s AND t.available_at IS NOT NULL"
                + " ORDER BY t.event_type LIMIT 1";
        return """
                (WITH RECURSIVE hop(tag, event_type) AS (
                    SELECT g.tag, (%s) FROM unnest(:tags) AS g(tag)
                    UNION ALL
                    SELECT hop.tag, (%s) FROM hop WHERE hop.event_type IS NOT NULL)
                SELECT tag, event_type FROM hop WHERE event_type IS NOT NULL)
                """.formatted(next.formatted("t.tag = g.tag"),
                next.formatted("t.tag = hop.tag AND t.event_type > hop.event_type"));
    }

    /** Where only whole queries can be locked, the rows joined to are locked as well. */
    String skipLocked(String alias) {
        return this == POSTGRESQL || this == MYSQL ? "FOR UPDATE OF " + alias + " SKIP LOCKED"
                : "FOR UPDATE SKIP LOCKED";
    }

    /**
     * The locks that stand for these keys, in an order all share; different keys may
     * share one.
     */
    public Object keyLocks(Collection<String> keys) {
        if (this != POSTGRESQL) {
            return keys.stream().map(key -> Math.floorMod(key.hashCode(), KEY_SLOTS)).distinct().sorted().toList();
        }
        long ours = (long) "event-queue".hashCode() << 32;
        return new SqlArrayValue("int8",
                keys.stream().map(key -> ours | (key.hashCode() & 0xffffffffL)).distinct().sorted().toArray());
    }

    /**
     * Waits for {@code :locks} and keeps them until the transaction ends, if the
     * condition holds.
     */
    public String lockKeys(String condition) {
        return this == POSTGRESQL ? "SELECT pg_advisory_xact_lock(l) FROM unnest(:locks) AS l WHERE " + condition
                : "SELECT slot FROM {event_key_locks} WHERE slot IN (:locks) AND " + condition
                        + " ORDER BY slot FOR UPDATE";
    }

    /**
     * Added to an INSERT so that an id already there is no error. Empty where an error
     * leaves the transaction usable, so that it can be caught.
     */
    public String orIgnoreDuplicateId() {
        return this == POSTGRESQL ? " ON CONFLICT (id) DO NOTHING" : "";
    }

    /**
     * The id of the notification of an event and a handler, given the columns with the
     * event's id and the handler's name. It starts as the event's does, so it is as
     * ordered in time; where the database can compute it, it is the same if fan-out is
     * repeated.
     */
    public String notificationId(String eventId, String handlerName) {
        return switch (this) {
            case POSTGRESQL ->
                "CAST(left(CAST(%1$s AS text), 14) || substr(md5(CAST(%1$s AS text) || %2$s), 13) AS uuid)"
                    .formatted(eventId, handlerName);
            case MARIADB, MYSQL -> "UNHEX(CONCAT(LEFT(HEX(%1$s), 12), SUBSTR(MD5(CONCAT(HEX(%1$s), %2$s)), 13)))"
                .formatted(eventId, handlerName);
            case H2 -> "RANDOM_UUID(7)";
        };
    }

    /** A JSON array with one object per failed notification {@code n}. */
    public String errorsOf() {
        return switch (this) {
            case POSTGRESQL -> "jsonb_agg(jsonb_build_object("
                    + "'handler', n.handler_name, 'state', n.state, 'error', n.last_error))";
            case MARIADB, MYSQL ->
                "JSON_ARRAYAGG(JSON_OBJECT('handler', n.handler_name, 'state', n.state, 'error', n.last_error))";
            case H2 -> "JSON_ARRAYAGG(JSON_OBJECT('handler': n.handler_name, 'state': n.state, 'error': n.last_error))";
        };
    }

    /**
     * Makes the plan of a hot statement independent of statistics, cached plans and dead
     * index entries: an ordered walk along the index that ships for it. Sent together
     * with the statement, valid for this transaction only.
     * @param durable false for statements whose loss in a database crash costs nothing
     * but work done again
     */
    String steady(String sql, boolean durable) {
        return this == POSTGRESQL ? "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; " + steadyAsIs(sql, durable) : sql;
    }

    /** The same for a transaction that is READ COMMITTED anyway. */
    String steadyAsIs(String sql, boolean durable) {
        if (this != POSTGRESQL) {
            return sql;
        }
        String settings = "set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),"
                + " set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true),"
                + " set_config('enable_mergejoin', 'off', true), set_config('enable_sort', 'off', true)";
        return "SELECT " + settings + (durable ? "" : ", set_config('synchronous_commit', 'off', true)") + "; " + sql;
    }

}
