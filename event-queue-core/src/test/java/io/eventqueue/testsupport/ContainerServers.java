package io.eventqueue.testsupport;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.JdbcDatabaseContainer;
import org.testcontainers.mariadb.MariaDBContainer;
import org.testcontainers.mysql.MySQLContainer;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** Servers in Docker. Testcontainers removes them when the JVM ends. */
final class ContainerServers {

    private ContainerServers() {
    }

    static boolean isDockerAvailable() {
        return DockerClientFactory.instance().isDockerAvailable();
    }

    static DatabaseServer postgreSql() {
        PostgreSQLContainer container = new PostgreSQLContainer("postgres:18");
        container.setCommand("postgres", "-c", "fsync=off", "-c", "max_connections=200");
        return start(container, "jdbc:postgresql", 5432, "postgres");
    }

    static DatabaseServer mariaDb() {
        return start(new MariaDBContainer("mariadb:11.4").withUsername("root"), "jdbc:mariadb", 3306, "mysql");
    }

    static DatabaseServer mySql() {
        return start(new MySQLContainer("mysql:8.4").withUsername("root"), "jdbc:mysql", 3306, "mysql");
    }

    private static DatabaseServer start(JdbcDatabaseContainer<?> container, String scheme, int port,
            String adminDatabase) {
        container.start();
        String url = "%s://%s:%d/%%s".formatted(scheme, container.getHost(), container.getMappedPort(port));
        return DatabaseServer.running(url, adminDatabase, container.getUsername(), container.getPassword(), container);
    }

}
