package io.eventqueue.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

/**
 * Creates or updates the tables. The migrations have a location and a history table of
 * their own, so an application's own migrations are neither seen nor touched. Safe to
 * call from several nodes at once.
 */
public final class SchemaMigration {

    private static final String HISTORY_TABLE = "eventlog_schema_history";

    private SchemaMigration() {
    }

    /** Brings the schema to this release's version. */
    public static void migrate(DataSource dataSource) {
        Dialect dialect = Dialect.of(dataSource);
        FluentConfiguration flyway = Flyway.configure(SchemaMigration.class.getClassLoader())
            .dataSource(dataSource)
            .locations("classpath:io/eventqueue/migration/" + dialect.key())
            .table(HISTORY_TABLE)
            .baselineOnMigrate(true)
            .baselineVersion("0")
            .loggers("slf4j");
        if (dialect == Dialect.POSTGRESQL || dialect == Dialect.H2) {
            String schema = storedName(dataSource, "eventlog");
            flyway.schemas(schema).defaultSchema(schema).createSchemas(true);
        }
        flyway.load().migrate();
    }

    /**
     * Flyway quotes names, so they must be spelled the way the database stores unquoted
     * ones.
     */
    private static String storedName(DataSource dataSource, String name) {
        try (Connection connection = dataSource.getConnection()) {
            return connection.getMetaData().storesUpperCaseIdentifiers() ? name.toUpperCase(Locale.ROOT) : name;
        }
        catch (SQLException e) {
            throw new CannotGetJdbcConnectionException("Cannot ask the database how it spells names", e);
        }
    }

}
