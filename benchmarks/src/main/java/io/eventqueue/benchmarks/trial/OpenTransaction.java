package io.eventqueue.benchmarks.trial;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Holds back the xmin horizon of a database, as a long report or a forgotten session
 * does.
 */
final class OpenTransaction implements AutoCloseable {

    private final Connection connection;

    OpenTransaction(String jdbcUrl) throws SQLException {
        connection = DriverManager.getConnection(jdbcUrl);
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ); // keeps
                                                                                    // its
                                                                                    // snapshot
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_current_xact_id(), count(*) FROM pg_class");
        }
    }

    @Override
    public void close() throws SQLException {
        connection.rollback();
        connection.close();
    }

}
