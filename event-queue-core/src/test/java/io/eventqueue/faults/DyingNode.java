package io.eventqueue.faults;

import com.zaxxer.hikari.HikariDataSource;
import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHandler;
import io.eventqueue.EventManager;
import io.eventqueue.Handler;
import io.eventqueue.faults.FaultNode.Fact;
import java.util.concurrent.CountDownLatch;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A node, in a JVM of its own, whose only handler is effectively once. The JVM ends as
 * with {@code kill -9} at the moment it is told.
 */
final class DyingNode {

    /** The exit code of a JVM that ended itself at its {@link Moment}. */
    static final int KILLED = 137;

    enum Moment {

        AFTER_THE_WRITE, BEFORE_THE_COMMIT, AFTER_THE_COMMIT, NEVER

    }

    @EventHandler(name = "once", idempotent = false, transactional = true)
    private record Once(JdbcTemplate jdbc, Moment moment) implements Handler<Fact> {

        @Override
        public void handle(EventEnvelope<Fact> envelope) {
            jdbc.update("INSERT INTO effects (number, handler) VALUES (?, 'once')", envelope.event().number());
            dieAt(Moment.AFTER_THE_WRITE);
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    dieAt(Moment.BEFORE_THE_COMMIT);
                }

                @Override
                public void afterCommit() {
                    dieAt(Moment.AFTER_THE_COMMIT);
                }
            });
        }

        private void dieAt(Moment now) {
            if (now == moment) {
                Runtime.getRuntime().halt(KILLED);
            }
        }

    }

    private DyingNode() {
    }

    public static void main(String[] arguments) throws InterruptedException {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(arguments[0]);
        pool.setUsername(arguments[1]);
        pool.setPassword(arguments[2]);
        pool.setMaximumPoolSize(5);
        EventManager node = EventManager.eventManager(pool)
            .register(new Once(new JdbcTemplate(pool), Moment.valueOf(arguments[3])))
            .abandonmentTimeout(FaultNode.LEASE)
            .build();
        node.start();
        new CountDownLatch(1).await();
    }

}
