package io.eventqueue.testsupport;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A PostgreSQL server that can be struck down as by a power cut and comes back on the
 * same port with the same data.
 */
public final class RestartablePostgreSql implements AutoCloseable {

    private final Path dataDirectory;

    private EmbeddedPostgres server;

    public RestartablePostgreSql(Path dataDirectory) throws IOException {
        this.dataDirectory = dataDirectory;
        this.server = start(0);
    }

    private EmbeddedPostgres start(int port) throws IOException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
            .setDataDirectory(dataDirectory)
            .setCleanDataDirectory(false)
            .setPGStartupWait(Duration.ofMinutes(1))
            .setServerConfig("max_connections", "200")
            // The library's default, off, would let the server forget what it confirmed.
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("deadlock_timeout", "100ms");
        return (port == 0 ? builder : builder.setPort(port)).start();
    }

    public int port() {
        return server.getPort();
    }

    /** Every process of the server ends at once; the next start recovers from the WAL. */
    public void crashAndRestart() throws Exception {
        int port = server.getPort();
        long pid = Long.parseLong(Files.readAllLines(dataDirectory.resolve("postmaster.pid")).getFirst().trim());
        ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
        new ProcessBuilder("kill", "-QUIT", Long.toString(pid)).start().waitFor();
        postmaster.onExit().get(30, TimeUnit.SECONDS);
        server.close();
        server = start(port);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

}
