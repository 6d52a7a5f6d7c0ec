package io.eventqueue.autoconfigure;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.util.ClassUtils;

/**
 * Connects to where a pool connects to, beside the pool: for the connection that listens
 * for signals and is held for good. Asks the pool for the address and credentials each
 * time, as they may change.
 */
final class UnpooledConnections extends AbstractDataSource {

    private static final boolean HIKARI = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
            UnpooledConnections.class.getClassLoader());

    private final HikariDataSource pool;

    private UnpooledConnections(HikariDataSource pool) {
        this.pool = pool;
    }

    /**
     * Of another pool than Hikari nothing is known, so the connection has to be one of
     * the pool's.
     */
    static DataSource beside(DataSource pool) {
        if (HIKARI) {
            HikariDataSource hikari = DataSourceUnwrapper.unwrap(pool, HikariConfigMXBean.class,
                    HikariDataSource.class);
            if (hikari != null && hikari.getJdbcUrl() != null) {
                return new UnpooledConnections(hikari);
            }
        }
        return pool;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return getConnection(pool.getUsername(), pool.getPassword());
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        Properties properties = new Properties();
        properties.putAll(pool.getDataSourceProperties());
        properties.setProperty("user", username);
        properties.setProperty("password", password);
        return DriverManager.getConnection(pool.getJdbcUrl(), properties);
    }

}
