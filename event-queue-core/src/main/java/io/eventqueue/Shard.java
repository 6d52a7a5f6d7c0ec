package io.eventqueue;

import io.eventqueue.loop.Signals;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * One database the engine works on. An event lives on the shard whose transaction
 * published it. Give the queue and the jobs of one process the same instance: it is how a
 * commit wakes the loops.
 */
public final class Shard {

    private final String name;

    private final DataSource dataSource;

    private final PlatformTransactionManager transactionManager;

    private final Signals signals = new Signals();

    private Shard(String name, DataSource dataSource, PlatformTransactionManager transactionManager) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("A shard needs a name");
        }
        this.name = name;
        this.dataSource = dataSource;
        this.transactionManager = transactionManager;
    }

    /** A shard with plain JDBC transactions. */
    public static Shard of(String name, DataSource dataSource) {
        return of(name, dataSource, new DataSourceTransactionManager(dataSource));
    }

    /**
     * A shard whose events are published, and whose transactional handlers run, in the
     * application's transactions.
     */
    public static Shard of(String name, DataSource dataSource, PlatformTransactionManager transactionManager) {
        return new Shard(name, dataSource, transactionManager);
    }

    /** Shown in logs and metrics. */
    public String name() {
        return name;
    }

    public DataSource dataSource() {
        return dataSource;
    }

    public PlatformTransactionManager transactionManager() {
        return transactionManager;
    }

    public Signals signals() {
        return signals;
    }

    @Override
    public String toString() {
        return "shard '" + name + "'";
    }

}
