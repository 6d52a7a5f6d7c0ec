package io.eventqueue.benchmarks.contender;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/**
 * Publishes as plain JDBC does at its best: one INSERT, and one INSERT of an array for
 * many.
 */
final class JdbcPublisher {

    private final DataSource dataSource;

    private final String insertOne;

    private final String insertMany;

    /**
     * @param table has the columns type and payload, and defaults for all others
     */
    JdbcPublisher(DataSource dataSource, String table) {
        this.dataSource = dataSource;
        this.insertOne = "INSERT INTO " + table + " (type, payload) VALUES ('OrderPlaced', ?)";
        this.insertMany = "INSERT INTO " + table + " (type, payload) SELECT 'OrderPlaced', unnest(?::text[])";
    }

    void publish(String payload) throws SQLException {
        inTransaction(insertOne, (connection, insert) -> insert.setString(1, payload));
    }

    void publishAll(List<String> payloads) throws SQLException {
        inTransaction(insertMany,
                (connection, insert) -> insert.setArray(1, connection.createArrayOf("text", payloads.toArray())));
    }

    private interface Parameters {

        void set(Connection connection, PreparedStatement insert) throws SQLException;

    }

    private void inTransaction(String sql, Parameters parameters) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement(sql)) {
                parameters.set(connection, insert);
                insert.executeUpdate();
            }
            connection.commit();
        }
    }

}
