package io.eventqueue.testsupport;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import javax.sql.DataSource;

/**
 * An empty database of its own for one test. Closing it closes the pool and drops the
 * database.
 */
public final class FreshDatabase implements AutoCloseable {

    private final String jdbcUrl;

    private final String user;

    private final String password;

    private final HikariDataSource dataSource;

    private final Runnable drop;

    FreshDatabase(String jdbcUrl, String user, String password, int poolSize, Runnable drop) {
        this.jdbcUrl = jdbcUrl;
        this.user = user;
        this.password = password;
        this.drop = drop;
        this.dataSource = newPool(poolSize);
    }

    public DataSource dataSource() {
        return dataSource;
    }

    /**
     * Another pool on the same database, as another node has one. The caller closes it.
     */
    public HikariDataSource newPool(int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    public String jdbcUrl() {
        return jdbcUrl;
    }

    public String user() {
        return user;
    }

    public String password() {
        return password;
    }

    @Override
    public void close() {
        dataSource.close();
        drop.run();
    }

}
