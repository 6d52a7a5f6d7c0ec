package io.eventqueue.contract;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventHandlerRegistry.Builder;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.MutableClock;
import io.eventqueue.testsupport.TestDatabase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A fresh database with our tables for every test, and nodes that are closed after it.
 */
abstract class DatabaseContract {

    final TestDatabase kind;

    final MutableClock clock = new MutableClock();

    FreshDatabase fresh;

    final List<AutoCloseable> open = new ArrayList<>();

    DatabaseContract(TestDatabase kind) {
        this.kind = kind;
    }

    @BeforeEach
    void createDatabase() {
        fresh = kind.create(20);
        open.addFirst(fresh);
        SchemaMigration.migrate(fresh.dataSource());
    }

    @AfterEach
    void closeEverything() throws Exception {
        for (AutoCloseable closeable : open.reversed()) {
            closeable.close();
        }
    }

    static Builder handlers() {
        return EventHandlerRegistry.eventHandlerRegistry();
    }

    /** A node whose time is {@link #clock}. */
    Node node(Builder registry) {
        return opened(new Node(fresh.dataSource(), clock, registry.build()));
    }

    Node opened(Node node) {
        open.add(node);
        return node;
    }

    /** Waits as a handler does that goes on whoever interrupts it. */
    static void awaitDeaf(CountDownLatch latch, Runnable onInterruption) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            }
            catch (InterruptedException e) {
                onInterruption.run();
            }
        }
    }

    static List<Map<String, Object>> rows(Node node, String sql) {
        return node.database.query(sql, Map.of(), (rs, n) -> {
            Map<String, Object> row = new HashMap<>();
            for (int i = 1; i <= rs.getMetaData().getColumnCount(); i++) {
                row.put(rs.getMetaData().getColumnLabel(i).toLowerCase(Locale.ROOT), rs.getString(i));
            }
            return row;
        });
    }

    static List<Object> column(Node node, String sql) {
        return rows(node, sql).stream().map(row -> row.values().iterator().next()).toList();
    }

    static long count(Node node, String sql) {
        return node.database.query(sql, Map.of(), (rs, n) -> rs.getLong(1)).getFirst();
    }

    static List<Object> states(Node node) {
        return column(node, "SELECT state FROM {event_notifications} ORDER BY handler_name");
    }

}
