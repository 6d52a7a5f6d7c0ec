package io.eventqueue.faults;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does one bad thing after the other, chosen by a seed. */
final class Saboteur {

    private static final Logger log = LoggerFactory.getLogger(Saboteur.class);

    /** Something bad. */
    interface Fault {

        void strike(Random random) throws Exception;

    }

    /** What can happen on one database. */
    record Named(String name, Fault fault) {
    }

    private final List<Named> faults;

    private final Random random;

    Saboteur(List<Named> faults, long seed) {
        this.faults = faults;
        this.random = new Random(seed);
    }

    void strike(int times) throws Exception {
        for (int i = 0; i < times; i++) {
            Named next = faults.get(random.nextInt(faults.size()));
            log.info("Fault: {}", next.name());
            next.fault().strike(random);
            pause(100 + random.nextInt(400));
        }
    }

    static List<Named> onNodes(List<NodeProcess> nodes) {
        return List.of(new Named("kill -9 of a node", random -> any(nodes, random).kill()),
                new Named("orderly stop of a node", random -> any(nodes, random).stopOrderly()),
                new Named("a node is paused for longer than its lease and wakes up", random -> {
                    NodeProcess node = any(nodes, random);
                    node.suspend();
                    pause(FaultNode.LEASE.toMillis() + 1500);
                    node.resume();
                }));
    }

    /** Holds what the engine needs next, for a moment. */
    static Named lockWait(DataSource dataSource, String prefix) {
        return new Named("lock wait",
                random -> locking(dataSource,
                        "SELECT id FROM " + prefix + "event_notifications WHERE state = 'PENDING' LIMIT 50 FOR UPDATE",
                        "SELECT id FROM " + prefix + "event_log_counter FOR UPDATE"));
    }

    /** Takes the locks of the engine in another order than the engine does. */
    static Named deadlock(DataSource dataSource, String prefix) {
        return new Named("deadlock",
                random -> locking(dataSource, "SELECT id FROM " + prefix + "event_log_counter FOR UPDATE",
                        "SELECT id FROM " + prefix + "event_notifications LIMIT 200 FOR UPDATE",
                        "SELECT id FROM " + prefix + "events LIMIT 200 FOR UPDATE"));
    }

    private static void locking(DataSource dataSource, String... statements) {
        try (Connection connection = dataSource.getConnection(); Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (String sql : statements) {
                statement.execute(sql);
                pause(300);
            }
            connection.rollback();
        }
        catch (SQLException e) {
            log.info("The saboteur was the victim: {}", e.getMessage());
        }
    }

    private static NodeProcess any(List<NodeProcess> nodes, Random random) {
        return nodes.get(random.nextInt(nodes.size()));
    }

    /** Faults last for a while; nothing is waited for. */
    static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

}
