package io.eventqueue.testsupport;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * What the database sees of a process that is killed: from one moment on nothing comes
 * through any more, and transactions that were open are rolled back. The process itself
 * only gets exceptions.
 */
public final class MortalDataSource extends DelegatingDataSource {

    private final Set<Connection> open = ConcurrentHashMap.newKeySet();

    private volatile boolean dead;

    private volatile boolean dieAfterCommit;

    public MortalDataSource(DataSource target) {
        super(target);
    }

    public void kill() {
        dead = true;
        for (Connection connection : open) {
            try {
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
            }
            catch (SQLException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** The next commit succeeds, but nobody hears of it. */
    public void killAfterNextCommit() {
        dieAfterCommit = true;
    }

    @Override
    public Connection getConnection() throws SQLException {
        refuseIfDead();
        Connection target = super.getConnection();
        open.add(target);
        return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
                (proxy, method, args) -> {
                    String name = method.getName();
                    if (name.equals("close")) {
                        open.remove(target);
                    }
                    else if (!name.equals("rollback") && !name.startsWith("set") && !name.startsWith("is")) {
                        refuseIfDead();
                    }
                    try {
                        Object result = method.invoke(target, args);
                        if (name.equals("commit") && dieAfterCommit) {
                            dead = true;
                            refuseIfDead();
                        }
                        return result;
                    }
                    catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void refuseIfDead() throws SQLException {
        if (dead) {
            throw new SQLException("killed");
        }
    }

}
