package io.eventqueue.benchmarks.contender;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * Opens a connection whose claim queries are ordered index scans, whatever the statistics
 * say. Without this the planner prefers a bitmap scan over all dead index entries, and
 * the baseline would be slower than it can be.
 */
final class IndexScanSession {

    private IndexScanSession() {
    }

    static Connection open(DataSource dataSource) throws SQLException {
        Connection connection = dataSource.getConnection();
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET plan_cache_mode = force_custom_plan");
            statement.execute("SET enable_seqscan = off");
            statement.execute("SET enable_bitmapscan = off");
        }
        return connection;
    }

}
