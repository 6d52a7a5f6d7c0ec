package io.eventqueue.testsupport;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;

/**
 * PostgreSQL from Maven Central. It refuses to run as root; there, the library starts it
 * in a user namespace of its own ({@code unshare -U}).
 */
public final class EmbeddedPostgreSql {

    private static final Map<String, String> SETTINGS = Map.of("max_connections", "200");

    /** The library's own patience, 10 seconds, ends too early on a busy machine. */
    private static final Duration START_LIMIT = Duration.ofMinutes(3);

    private EmbeddedPostgreSql() {
    }

    static DatabaseServer start() {
        return start(Map.of());
    }

    /**
     * A server of the caller's own, who closes it.
     * @param settings as in {@code postgresql.conf}, for example {@code deadlock_timeout}
     */
    public static DatabaseServer start(Map<String, String> settings) {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder().setPGStartupWait(START_LIMIT);
        SETTINGS.forEach(builder::setServerConfig);
        settings.forEach(builder::setServerConfig);
        try {
            EmbeddedPostgres postgres = builder.start();
            String url = "jdbc:postgresql://localhost:" + postgres.getPort() + "/%s";
            return DatabaseServer.running(url, "postgres", "postgres", "postgres", postgres);
        }
        catch (IOException ex) {
            throw new UncheckedIOException("PostgreSQL did not start", ex);
        }
    }

}
