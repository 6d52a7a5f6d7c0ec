package io.eventqueue.benchmarks.process;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * The PostgreSQL of the run: durable, as in production, and otherwise with its defaults,
 * but for a {@code max_wal_size} that keeps checkpoints out of the trials.
 */
public final class EmbeddedServer implements AutoCloseable {

    private final EmbeddedPostgres postgres;

    public EmbeddedServer(Path dataDirectory) throws IOException {
        postgres = EmbeddedPostgres.builder()
            .setDataDirectory(dataDirectory)
            .setCleanDataDirectory(true)
            .setPGStartupWait(Duration.ofMinutes(1))
            .setServerConfig("fsync", "on")
            .setServerConfig("full_page_writes", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("shared_buffers", "512MB")
            .setServerConfig("max_wal_size", "8GB")
            .setServerConfig("checkpoint_timeout", "30min")
            .setServerConfig("max_connections", "400")
            .setServerConfig("shared_preload_libraries", "pg_stat_statements")
            .start();
        // Only in the file can ALTER SYSTEM change it later; given on the command line it
        // would win.
        executeChecked("ALTER SYSTEM SET pg_stat_statements.track = 'none'");
        executeChecked("SELECT pg_reload_conf()");
    }

    public String settings() throws IOException {
        return query("""
                SELECT 'PostgreSQL ' || current_setting('server_version') || ': '
                  || string_agg(name || '=' || current_setting(name), ', ' ORDER BY name)
                FROM pg_settings
                WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'shared_buffers', 'max_wal_size')
                """);
    }

    /** An empty database, whatever was there before. */
    public String createDatabase(String name) throws IOException {
        executeChecked("DROP DATABASE IF EXISTS \"" + name + "\" WITH (FORCE)");
        executeChecked("CREATE DATABASE \"" + name + "\"");
        return jdbcUrl(name);
    }

    public void dropDatabase(String name) throws IOException {
        executeChecked("DROP DATABASE IF EXISTS \"" + name + "\" WITH (FORCE)");
    }

    private String jdbcUrl(String database) {
        return "jdbc:postgresql://localhost:" + postgres.getPort() + "/" + database + "?user=postgres";
    }

    private void executeChecked(String sql) throws IOException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl("postgres"));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
        catch (SQLException ex) {
            throw new IOException(sql, ex);
        }
    }

    private String query(String sql) throws IOException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl("postgres"));
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
        catch (SQLException ex) {
            throw new IOException(sql, ex);
        }
    }

    @Override
    public void close() throws IOException {
        postgres.close();
    }

}
