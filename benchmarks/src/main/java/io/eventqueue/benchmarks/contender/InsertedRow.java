package io.eventqueue.benchmarks.contender;

import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * The row that {@link JdbcInsertContender} stores. For {@code publish_vs_insert} it must
 * be the row that the library's publish writes: same columns, same indexes.
 */
interface InsertedRow {

    /** Creates the table with all its indexes. */
    void createTable(Database database) throws SQLException;

    String table();

    String insert();

    void bind(PreparedStatement insert, String payload) throws SQLException;

}
