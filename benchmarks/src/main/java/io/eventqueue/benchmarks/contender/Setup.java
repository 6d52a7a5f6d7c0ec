package io.eventqueue.benchmarks.contender;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.function.Consumer;

/**
 * What a contender is given.
 *
 * @param jdbcUrl the contender's own database
 * @param handler the application's handler; takes the payload, never throws
 * @param handlers how many handlers every event must reach. A library without fan-out
 * publishes one job for each.
 * @param ownsSchema false in the second JVM of a contender: the tables are there already
 */
public record Setup(String jdbcUrl, Consumer<String> handler, int handlers, boolean ownsSchema) {

    /**
     * The contender's connections. Their commits are timed by {@link CommitClock}, the
     * same for everybody.
     */
    Database database(int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(connections);
        config.setConnectionTimeout(60_000);
        return new Database(new CommitClock(new HikariDataSource(config)), ownsSchema);
    }
}
