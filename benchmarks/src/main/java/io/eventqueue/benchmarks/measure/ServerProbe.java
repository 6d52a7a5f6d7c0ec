package io.eventqueue.benchmarks.measure;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Reads PostgreSQL's own counters over a connection that no contender uses. Statements
 * are counted by pg_stat_statements, which is switched on for counted trials only,
 * because it costs time in every statement.
 */
public final class ServerProbe implements AutoCloseable {

    private static final String OF_THIS_DATABASE = """
            FROM pg_stat_statements
            WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
            """;

    private final Connection connection;

    private final PostgresCpu cpu;

    public ServerProbe(String jdbcUrl) throws SQLException {
        connection = DriverManager.getConnection(jdbcUrl);
        execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
        execute("SET pg_stat_statements.track = 'none'");
        cpu = new PostgresCpu(number("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::bigint"));
    }

    /**
     * Lets every trial start with the same amount of write-ahead log to come: no
     * checkpoint is due soon.
     */
    public void checkpoint() throws SQLException {
        execute("CHECKPOINT");
    }

    /** After a bulk load: visibility map and statistics as a running system has them. */
    public void vacuumAnalyze() throws SQLException {
        execute("VACUUM ANALYZE");
    }

    long walBytes() throws SQLException {
        return number("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint");
    }

    PostgresCpu cpu() {
        return cpu;
    }

    void countStatements(boolean on) throws SQLException, InterruptedException {
        execute("ALTER SYSTEM SET pg_stat_statements.track = '" + (on ? "top" : "none") + "'");
        execute("SELECT pg_reload_conf()");
        Thread.sleep(500); // every backend reads its configuration before its next
                           // statement, once signalled
        execute("SELECT pg_stat_statements_reset()");
    }

    long statements() throws SQLException {
        return number("SELECT coalesce(sum(calls), 0) " + OF_THIS_DATABASE
                + "AND query !~* '^(begin|commit|rollback|show|set )'");
    }

    /**
     * Grows by one with every transaction that writes. COMMIT itself cannot be counted:
     * pg_stat_statements forgets utility statements once they are prepared.
     */
    long transactionIds() throws SQLException {
        return number("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint");
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private long number(String sql) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }

}
