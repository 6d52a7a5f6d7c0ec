package io.eventqueue.jdbc;

import io.eventqueue.Job;
import io.eventqueue.loop.Loop;
import io.eventqueue.loop.Signals.Signal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Carries signals between nodes by LISTEN and NOTIFY. It listens on a connection of its
 * own, which it opens again when it breaks, and sends at most one NOTIFY per signal and
 * {@code debounce}. A signal that gets lost costs one poll delay. A process without loops
 * has nothing to wake and only {@linkplain #sendingOnly sends}.
 */
public final class PostgresSignals implements Job {

    private static final String CHANNEL = "eventlog";

    /** A signal may get lost, so nobody waits for the disk. */
    private static final String SEND = "SELECT set_config('synchronous_commit', 'off', true), pg_notify('" + CHANNEL
            + "', :message)";

    private static final int LISTEN_MILLIS = 500;

    /**
     * What this node gives its own loops: most of the time they have taken the work
     * before others are woken for it.
     */
    private static final Duration HEAD_START = Duration.ofMillis(1);

    /** Tells what this process sent, and has acted on already, from the rest. */
    private final String sender = " " + UUID.randomUUID();

    private final Database database;

    private final @Nullable Loop listenLoop;

    private final Loop sendLoop;

    private final Consumer<Signal> forwarder = this::toSend;

    private final Set<Signal> unsent = EnumSet.noneOf(Signal.class);

    private @Nullable Connection connection;

    private volatile boolean running;

    /**
     * @param listenSource where the listening connection comes from; it is held for as
     * long as the job runs, so give it one that is not taken from a small pool
     */
    public PostgresSignals(Database database, DataSource listenSource, Duration debounce) {
        this(database, debounce, listenSource);
    }

    /** For processes that publish and leave the work to others. */
    public static PostgresSignals sendingOnly(Database database, Duration debounce) {
        return new PostgresSignals(database, debounce, null);
    }

    private PostgresSignals(Database database, Duration debounce, @Nullable DataSource listenSource) {
        this.database = database;
        String name = database.shard().name();
        this.listenLoop = listenSource == null ? null
                : new Loop("event-queue-listen-" + name, Duration.ofMillis(1), () -> listen(listenSource), e -> {
                });
        this.sendLoop = new Loop("event-queue-notify-" + name, Duration.ofMinutes(1), () -> send(debounce), e -> {
        });
    }

    private void toSend(Signal signal) {
        synchronized (unsent) {
            unsent.add(signal);
        }
        sendLoop.wake();
    }

    private int send(Duration debounce) throws InterruptedException {
        if (!hasUnsent()) {
            return 0;
        }
        Thread.sleep(HEAD_START);
        for (Signal signal : takeUnsent()) {
            database.query(SEND, Map.of("message", signal.name() + sender), (rs, row) -> row);
        }
        Thread.sleep(debounce);
        return 1;
    }

    private boolean hasUnsent() {
        synchronized (unsent) {
            return !unsent.isEmpty();
        }
    }

    private Set<Signal> takeUnsent() {
        synchronized (unsent) {
            Set<Signal> taken = EnumSet.copyOf(unsent);
            unsent.clear();
            return taken;
        }
    }

    private int listen(DataSource listenSource) throws SQLException {
        Connection listening = connection;
        if (listening == null) {
            listening = listenSource.getConnection();
            connection = listening;
            listening.setAutoCommit(true);
            try (Statement statement = listening.createStatement()) {
                statement.execute("LISTEN " + CHANNEL);
            }
            // Whatever was committed while nobody listened.
            for (Signal signal : Signal.values()) {
                database.shard().signals().received(signal);
            }
        }
        try {
            PGNotification[] heard = listening.unwrap(PGConnection.class).getNotifications(LISTEN_MILLIS);
            for (PGNotification notification : heard == null ? new PGNotification[0] : heard) {
                hear(notification.getParameter());
            }
            return 1;
        }
        catch (SQLException | RuntimeException e) {
            closeConnection();
            throw e;
        }
    }

    private void hear(String message) {
        if (!message.endsWith(sender)) {
            database.shard().signals().received(Signal.valueOf(message.split(" ", 2)[0]));
        }
    }

    private void closeConnection() {
        Connection old = connection;
        connection = null;
        if (old != null) {
            try {
                old.close();
            }
            catch (SQLException ignored) {
                // it was broken anyway
            }
        }
    }

    /** Signals come and go in the background; there is nothing to drain. */
    @Override
    public int drainOneRound() {
        return 0;
    }

    @Override
    public synchronized void start() {
        if (running || !database.dialect().notifies()) {
            return;
        }
        running = true;
        database.shard().signals().forward(forwarder);
        sendLoop.start();
        if (listenLoop != null) {
            listenLoop.start();
        }
    }

    @Override
    public synchronized void stop() {
        if (!running) {
            return;
        }
        database.shard().signals().forgetForwarder(forwarder);
        sendLoop.requestStop();
        if (listenLoop != null) {
            listenLoop.requestStop();
            listenLoop.join(Duration.ofSeconds(2));
        }
        sendLoop.join(Duration.ofSeconds(2));
        closeConnection();
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

}
