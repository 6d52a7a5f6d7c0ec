package io.eventqueue.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TestDatabaseTest {

    @ParameterizedTest
    @EnumSource
    void startsAndAnswers(TestDatabase kind) throws SQLException {
        try (FreshDatabase database = kind.create(2)) {
            assertThat(query(database, "select 1")).isEqualTo("1");
            try (Connection connection = database.dataSource().getConnection()) {
                DatabaseMetaData server = connection.getMetaData();
                System.out.printf("%s: %s %s, driver %s%n", kind, server.getDatabaseProductName(),
                        server.getDatabaseProductVersion(), server.getDriverVersion());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyCallGivesAnEmptyDatabase(TestDatabase kind) throws SQLException {
        try (FreshDatabase first = kind.create(); FreshDatabase second = kind.create()) {
            for (FreshDatabase database : new FreshDatabase[] { first, second }) {
                try (Connection connection = database.dataSource().getConnection();
                        Statement statement = connection.createStatement()) {
                    statement.execute("create table only_here (id int)");
                }
            }
        }
    }

    @Test
    void aServerOfOnesOwnTakesSettings() throws SQLException {
        try (DatabaseServer server = EmbeddedPostgreSql.start(Map.of("deadlock_timeout", "123ms"));
                FreshDatabase database = server.createDatabase(1)) {
            assertThat(query(database, "show deadlock_timeout")).isEqualTo("123ms");
            assertThat(query(database, "show max_connections")).isEqualTo("200");
        }
    }

    private static String query(FreshDatabase database, String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }

}
