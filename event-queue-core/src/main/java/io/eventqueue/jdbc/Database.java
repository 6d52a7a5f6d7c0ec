package io.eventqueue.jdbc;

import io.eventqueue.Shard;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * One shard's database: runs SQL written with {@link Dialect}'s tokens, in short
 * transactions of its own that are repeated after a deadlock or a serialization failure.
 * Time is the database's unless a clock was injected.
 */
public final class Database {

    private static final int ATTEMPTS = 5;

    private static final Pattern TOKEN = Pattern.compile("\\{([a-z_+]+)(?::([a-z_A-Z]+))?}");

    private static final DateTimeFormatter LITERAL = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSSSS")
        .withZone(ZoneOffset.UTC);

    private final Shard shard;

    private final Dialect dialect;

    private final @Nullable Clock clock;

    private final NamedParameterJdbcTemplate jdbc;

    private final TransactionTemplate ownTransaction;

    private final Map<String, String> translated = new ConcurrentHashMap<>();

    /**
     * PostgreSQL makes one transaction of the statements that arrive together, if the
     * connection has not begun one; its isolation is the connection's.
     */
    private final boolean implicitTransactions;

    private Database(Shard shard, Dialect dialect, @Nullable Clock clock) {
        this.shard = shard;
        this.dialect = dialect;
        this.clock = clock;
        this.implicitTransactions = dialect.writesInQueries() && commitsEveryStatement(shard);
        JdbcTemplate template = new JdbcTemplate(shard.dataSource());
        this.jdbc = new NamedParameterJdbcTemplate(template);
        this.ownTransaction = new TransactionTemplate(new DataSourceTransactionManager(shard.dataSource()));
        this.ownTransaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        this.ownTransaction.setIsolationLevel(dialect.isolation());
    }

    private static boolean commitsEveryStatement(Shard shard) {
        return Boolean.TRUE
            .equals(new JdbcTemplate(shard.dataSource()).execute((Connection connection) -> connection.getAutoCommit()
                    && connection.getTransactionIsolation() == Connection.TRANSACTION_READ_COMMITTED));
    }

    /** Connects once to find out which database it is. */
    public static Database of(Shard shard) {
        return of(shard, null);
    }

    /**
     * With a clock, every due time, lease and timestamp follows it instead of the
     * database's own: for tests.
     */
    public static Database of(Shard shard, @Nullable Clock clock) {
        return new Database(shard, Dialect.of(shard.dataSource()), clock);
    }

    public Shard shard() {
        return shard;
    }

    public Dialect dialect() {
        return dialect;
    }

    /**
     * What the time is, where rows are written: one round trip unless a clock was
     * injected.
     */
    public Instant now() {
        if (clock != null) {
            return clock.instant();
        }
        return query("SELECT {now} AS t", Map.of(), (rs, row) -> dialect.instant(rs, "t")).getFirst();
    }

    /**
     * Runs in a transaction of its own, again after a deadlock; the work must not keep
     * state across runs.
     */
    public <T extends @Nullable Object> T inOwnTransaction(Supplier<T> work) {
        return again(() -> ownTransaction.execute(status -> work.get()));
    }

    private static <T extends @Nullable Object> T again(Supplier<T> work) {
        for (int attempt = 1;; attempt++) {
            try {
                return work.get();
            }
            catch (PessimisticLockingFailureException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /**
     * Runs in the transaction the caller has on this database, or else in one of its own.
     */
    public <T extends @Nullable Object> T inCallersTransaction(Supplier<T> work) {
        boolean callerHasOne = TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.hasResource(shard.dataSource());
        return callerHasOne ? work.get() : inOwnTransaction(work);
    }

    public <T> List<T> query(String sql, Map<String, ?> parameters, RowMapper<T> mapper) {
        return jdbc.query(sql(sql), parameters, mapper);
    }

    public int update(String sql, Map<String, ?> parameters) {
        return jdbc.update(sql(sql), parameters);
    }

    /**
     * The same statement for many parameter sets in one round trip; returns the number of
     * rows changed in all.
     */
    public int updateBatch(String sql, List<Map<String, Object>> parameters) {
        if (parameters.isEmpty()) {
            return 0;
        }
        @SuppressWarnings({ "unchecked", "rawtypes" })
        Map<String, ?>[] batch = parameters.toArray(new Map[0]);
        int changed = 0;
        for (int count : jdbc.batchUpdate(sql(sql), batch)) {
            changed += count == java.sql.Statement.SUCCESS_NO_INFO ? 1 : count;
        }
        return changed;
    }

    /** A statement with positional parameters, for inserts of many rows. */
    public int updatePositional(String sql, List<@Nullable Object> arguments) {
        return jdbc.getJdbcTemplate().update(sql(sql), arguments.toArray());
    }

    /** The same for an insert that returns its rows, in their order. */
    public <T> List<T> queryPositional(String sql, List<@Nullable Object> arguments, RowMapper<T> mapper) {
        return jdbc.getJdbcTemplate().query(sql(sql), mapper, arguments.toArray());
    }

    /**
     * A hot query: its plan does not depend on statistics. Call it first in its
     * transaction.
     */
    public <T> List<T> steadyQuery(String sql, Map<String, ?> parameters, boolean durable, RowMapper<T> mapper) {
        return lastResult(dialect.steady(sql(sql), durable), parameters, mapper);
    }

    private <T> List<T> lastResult(String statements, Map<String, ?> parameters, RowMapper<T> mapper) {
        List<T> rows = jdbc.execute(statements, parameters, (PreparedStatement statement) -> {
            List<T> result = new ArrayList<>();
            boolean hasRows = statement.execute();
            int updated = hasRows ? -1 : statement.getUpdateCount();
            while (hasRows || updated != -1) {
                if (hasRows) {
                    result.clear();
                    readAll(statement.getResultSet(), mapper, result, statement);
                }
                hasRows = statement.getMoreResults();
                updated = hasRows ? -1 : statement.getUpdateCount();
            }
            return result;
        });
        return rows == null ? List.of() : rows;
    }

    /**
     * A hot query that is a transaction by itself, again after a deadlock. Where the
     * connections commit every statement, it costs one round trip.
     */
    public <T> List<T> steadyTransaction(String sql, Map<String, ?> parameters, boolean durable, RowMapper<T> mapper) {
        if (implicitTransactions && !TransactionSynchronizationManager.isActualTransactionActive()) {
            return again(() -> lastResult(dialect.steadyAsIs(sql(sql), durable), parameters, mapper));
        }
        return inOwnTransaction(() -> steadyQuery(sql, parameters, durable, mapper));
    }

    private <T> void readAll(ResultSet rs, RowMapper<T> mapper, List<T> into, PreparedStatement statement)
            throws SQLException {
        // The settings sent ahead of the statement answer with rows of their own, which
        // nobody maps.
        if ("set_config".equals(rs.getMetaData().getColumnLabel(1))) {
            return;
        }
        for (int row = 0; rs.next(); row++) {
            into.add(mapper.mapRow(rs, row));
        }
    }

    /** Translates the tokens described at {@link Dialect}. */
    public String sql(String template) {
        if (clock == null) {
            return translated.computeIfAbsent(template, this::translate);
        }
        return translate(template);
    }

    private String translate(String template) {
        Matcher matcher = TOKEN.matcher(template);
        StringBuilder sql = new StringBuilder();
        while (matcher.find()) {
            matcher.appendReplacement(sql, Matcher.quoteReplacement(replacement(matcher.group(1), matcher.group(2))));
        }
        return matcher.appendTail(sql).toString();
    }

    private String replacement(String token, @Nullable String argument) {
        return switch (token) {
            case "now" -> nowExpression();
            case "now+" -> dialect.plus(nowExpression(), placeholder(argument));
            case "any" -> dialect.membership(String.valueOf(argument));
            case "json" -> dialect.json(placeholder(argument));
            case "index" -> dialect.forcedIndex(dialect.table(String.valueOf(argument)).replace("eventlog.", ""));
            case "pending_type", "pending_key", "processing_until", "open_lane", "open_handler", "open_since",
                    "dead_state", "dead_at" ->
                dialect.openRowsColumn(token);
            case "pending_types" -> dialect.pendingTypes();
            case "tag_types" -> dialect.tagTypes();
            case "skip_locked" -> dialect.skipLocked(String.valueOf(argument));
            default -> dialect.table(token);
        };
    }

    private static String placeholder(@Nullable String argument) {
        return argument == null ? "?" : ":" + argument;
    }

    private String nowExpression() {
        if (clock == null) {
            return dialect.now();
        }
        String literal = "'" + LITERAL.format(clock.instant());
        return switch (dialect) {
            case POSTGRESQL, H2 -> "CAST(" + literal + "+00' AS TIMESTAMP WITH TIME ZONE)";
            case MARIADB, MYSQL -> "CAST(" + literal + "' AS DATETIME(6))";
        };
    }

}
