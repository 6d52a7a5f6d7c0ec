package io.eventqueue.benchmarks.contender;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Remembers when this thread's last {@code commit()} returned, so that latency is
 * measured from the commit and not from the end of whatever a library does after it.
 * Works for every contender because it sits below all of them.
 */
public final class CommitClock extends DelegatingDataSource {

    private static final ThreadLocal<@Nullable Long> LAST_COMMIT = new ThreadLocal<>();

    CommitClock(DataSource target) {
        super(target);
    }

    /**
     * To be called before publishing, so that an older commit of this thread is not taken
     * for the event's.
     */
    public static void forgetCommit() {
        LAST_COMMIT.remove();
    }

    /**
     * When this thread last committed, or now if it never called {@code commit()} because
     * every statement commits.
     */
    public static long lastCommit() {
        Long commit = LAST_COMMIT.get();
        return commit == null ? now() : commit;
    }

    /** Nanoseconds of the machine's clock, which all JVMs on it share. */
    public static long now() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection target = super.getConnection();
        return (Connection) Proxy.newProxyInstance(CommitClock.class.getClassLoader(),
                new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
                    if (method.getName().equals("equals")) {
                        return proxy == arguments[0];
                    }
                    try {
                        Object result = method.invoke(target, arguments);
                        if (method.getName().equals("commit")) {
                            LAST_COMMIT.set(now());
                        }
                        return result;
                    }
                    catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

}
