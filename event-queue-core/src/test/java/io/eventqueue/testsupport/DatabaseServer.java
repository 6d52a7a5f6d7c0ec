package io.eventqueue.testsupport;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;

/**
 * A running server that hands out empty databases. Tests get theirs from
 * {@link TestDatabase}; a test that needs a server of its own, with settings or in order
 * to stop it, starts one with {@link EmbeddedPostgreSql#start(java.util.Map)}.
 */
public final class DatabaseServer implements AutoCloseable {

    private final String urlPattern;

    private final String adminUrl;

    private final String user;

    private final String password;

    private final AutoCloseable process;

    private DatabaseServer(String urlPattern, String adminUrl, String user, String password, AutoCloseable process) {
        this.urlPattern = urlPattern;
        this.adminUrl = adminUrl;
        this.user = user;
        this.password = password;
        this.process = process;
    }

    /**
     * @param urlPattern a JDBC URL with {@code %s} for the name of the database
     * @param adminDatabase the database to connect to for creating others
     */
    static DatabaseServer running(String urlPattern, String adminDatabase, String user, String password,
            AutoCloseable process) {
        return new DatabaseServer(urlPattern, urlPattern.formatted(adminDatabase), user, password, process);
    }

    /** No process: connecting creates the database. */
    static DatabaseServer inMemory(String urlPattern, String user, String password) {
        return new DatabaseServer(urlPattern, null, user, password, () -> {
        });
    }

    public FreshDatabase createDatabase(int poolSize) {
        String name = "eq_" + UUID.randomUUID().toString().replace("-", "");
        String url = urlPattern.formatted(name);
        if (adminUrl == null) {
            return new FreshDatabase(url, user, password, poolSize, () -> execute(url, "shutdown"));
        }
        execute(adminUrl, "create database " + name);
        // PostgreSQL alone refuses while somebody is connected, and a closed pool's
        // connections take a moment to end.
        String drop = "drop database " + name + (adminUrl.startsWith("jdbc:postgresql:") ? " with (force)" : "");
        return new FreshDatabase(url, user, password, poolSize, () -> execute(adminUrl, drop));
    }

    @Override
    public void close() {
        try {
            process.close();
        }
        catch (Exception ex) {
            throw new IllegalStateException("The server did not stop", ex);
        }
    }

    private void execute(String url, String sql) {
        try (Connection connection = DriverManager.getConnection(url, user, password);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
        catch (SQLException ex) {
            throw new IllegalStateException("'" + sql + "' failed on " + url, ex);
        }
    }

}
