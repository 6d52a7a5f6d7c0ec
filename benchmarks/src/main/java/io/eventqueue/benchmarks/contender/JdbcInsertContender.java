package io.eventqueue.benchmarks.contender;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * A plain INSERT of the row the library's publish writes: what publishing costs at least.
 * It has no workers and takes part in the publish phases only.
 */
final class JdbcInsertContender implements Contender {

    private final Database database;

    private final InsertedRow row;

    JdbcInsertContender(Setup setup, InsertedRow row) throws SQLException {
        this.database = setup.database(16);
        this.row = row;
        if (setup.ownsSchema()) {
            row.createTable(database);
        }
    }

    @Override
    public String version() {
        return "plain JDBC";
    }

    @Override
    public String settings() {
        return "INSERT INTO " + row.table() + ", JDBC batch for many";
    }

    @Override
    public void truncate() throws SQLException {
        database.execute("TRUNCATE " + row.table());
    }

    @Override
    public void publish(String payload) throws SQLException {
        publishAll(List.of(payload));
    }

    @Override
    public void publishAll(List<String> payloads) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement(row.insert())) {
                if (payloads.size() == 1) {
                    row.bind(insert, payloads.getFirst());
                    insert.executeUpdate();
                }
                else {
                    for (String payload : payloads) {
                        row.bind(insert, payload);
                        insert.addBatch();
                    }
                    insert.executeBatch();
                }
            }
            connection.commit();
        }
    }

    @Override
    public boolean handles() {
        return false;
    }

    @Override
    public void startWorkers() {
        throw new UnsupportedOperationException("publishes only");
    }

    @Override
    public void stopWorkers() {
        throw new UnsupportedOperationException("publishes only");
    }

    @Override
    public long unfinished() {
        throw new UnsupportedOperationException("publishes only");
    }

}
