package io.eventqueue.benchmarks.contender;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A contender's pool, with the few statements every contender needs. */
record Database(DataSource dataSource, boolean ownsSchema) {

    /** Creates the contender's tables, unless another JVM has done so. */
    void createSchema(String ddl) throws SQLException {
        if (ownsSchema) {
            execute(ddl);
        }
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    long count(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
