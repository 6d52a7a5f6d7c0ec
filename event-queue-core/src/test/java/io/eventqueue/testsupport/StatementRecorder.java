package io.eventqueue.testsupport;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A DataSource that notes every statement sent through it and, when asked, how the
 * database executes it: the same text with the same parameters is explained, executed and
 * rolled back just before it runs. So tests judge what the engine really sends, by the
 * rows that were really read.
 */
public final class StatementRecorder extends DelegatingDataSource {

    /** A statement that was executed; {@code plan} is empty while plans are off. */
    public record Executed(String sql, String plan) {

        private static final Pattern READ = Pattern
            .compile("(?:actual rows=|Rows Removed by [A-Za-z ]+: |r_rows=)([0-9.]+)");

        private static final Pattern PAGES = Pattern.compile("Buffers: shared((?: (?:hit|read)=[0-9]+)+)");

        private static final Pattern COUNT = Pattern.compile("=([0-9]+)");

        /** Rows that each step of the plan returned or threw away, as counted. */
        public List<Double> rowsRead() {
            return READ.matcher(plan).results().map(rows -> Double.valueOf(rows.group(1))).toList();
        }

        /**
         * Pages that PostgreSQL touched; zero elsewhere. An index that is walked through
         * for want of its first column shows here only.
         */
        public int pagesRead() {
            return PAGES.matcher(plan)
                .results()
                .limit(1)
                .flatMap(line -> COUNT.matcher(line.group(1)).results())
                .mapToInt(count -> Integer.parseInt(count.group(1)))
                .sum();
        }

    }

    private final List<Executed> executed = new CopyOnWriteArrayList<>();

    private volatile boolean explaining;

    public StatementRecorder(DataSource target) {
        super(target);
    }

    public void explain(boolean on) {
        this.explaining = on;
    }

    /** What was executed since the last call. */
    public List<Executed> drain() {
        List<Executed> result = List.copyOf(executed);
        executed.clear();
        return result;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection target = super.getConnection();
        return proxy(Connection.class, target, (method, args) -> {
            Object result = method.invoke(target, args);
            if (method.getName().equals("prepareStatement")) {
                return recording(target, (String) args[0], (PreparedStatement) result);
            }
            return result;
        });
    }

    private PreparedStatement recording(Connection connection, String sql, PreparedStatement target) {
        List<Call> parameters = new ArrayList<>();
        return proxy(PreparedStatement.class, target, (method, args) -> {
            String name = method.getName();
            if (name.startsWith("set") && args != null && args.length > 1) {
                parameters.add(new Call(method, args));
            }
            if (name.startsWith("execute")) {
                String plan = explaining ? explain(connection, sql, parameters) : "";
                executed.add(new Executed(sql, plan));
            }
            return method.invoke(target, args);
        });
    }

    private record Call(Method method, Object[] args) {
    }

    private static String explain(Connection connection, String sql, List<Call> parameters) throws Exception {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        Savepoint before = connection.setSavepoint();
        int last = sql.lastIndexOf("; ") + 1;
        if (last > 0) {
            try (Statement settings = connection.createStatement()) {
                settings.execute(sql.substring(0, last));
            }
        }
        StringBuilder plan = new StringBuilder();
        try (PreparedStatement explain = connection.prepareStatement(prefix(connection) + sql.substring(last))) {
            for (Call call : parameters) {
                call.method().invoke(explain, call.args());
            }
            try (ResultSet rows = explain.executeQuery()) {
                while (rows.next()) {
                    for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                        plan.append(rows.getMetaData().getColumnLabel(i)).append('=').append(rows.getString(i));
                        plan.append(' ');
                    }
                    plan.append('\n');
                }
            }
        }
        connection.rollback(before);
        connection.setAutoCommit(autoCommit);
        return plan.toString();
    }

    private static String prefix(Connection connection) throws SQLException {
        return connection.getMetaData().getURL().startsWith("jdbc:postgresql:")
                ? "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS ON) " : "ANALYZE ";
    }

    private interface Handling {

        Object call(Method method, Object[] args) throws Exception;

    }

    private static <T> T proxy(Class<T> type, Object target, Handling handling) {
        return type
            .cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (self, method, args) -> {
                try {
                    return handling.call(method, args);
                }
                catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            }));
    }

}
