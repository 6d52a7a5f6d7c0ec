package io.eventqueue.faults;

import io.eventqueue.faults.FaultNode.Fact;
import io.eventqueue.faults.FaultNode.Lone;
import io.eventqueue.outbox.TransactionalEventQueue;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Publishes facts until told to stop, each with a row in {@code published} in the same
 * transaction: that row says whether the fact was committed, also when the publisher was
 * never told.
 */
final class Publisher implements AutoCloseable {

    private final TransactionTemplate transactions;

    private final JdbcTemplate jdbc;

    private final TransactionalEventQueue queue;

    private final Random random;

    private final AtomicInteger numbers;

    private final Thread thread;

    final AtomicInteger failures = new AtomicInteger();

    private volatile boolean stopping;

    Publisher(TransactionTemplate transactions, JdbcTemplate jdbc, TransactionalEventQueue queue, long seed,
            AtomicInteger numbers) {
        this.transactions = transactions;
        this.jdbc = jdbc;
        this.queue = queue;
        this.random = new Random(seed);
        this.numbers = numbers;
        this.thread = Thread.ofPlatform().name("publisher").start(this::publishAll);
    }

    private void publishAll() {
        while (!stopping) {
            int size = 1 + random.nextInt(10);
            boolean rollBack = random.nextInt(10) == 0;
            try {
                transactions.executeWithoutResult(status -> {
                    for (int i = 0; i < size; i++) {
                        int number = numbers.incrementAndGet();
                        jdbc.update("INSERT INTO published (number) VALUES (?)", number);
                        queue.publish(number % 2 == 0 ? new Fact(number) : new Lone(number));
                    }
                    if (rollBack) {
                        status.setRollbackOnly();
                    }
                });
            }
            catch (RuntimeException e) {
                failures.incrementAndGet();
            }
            Saboteur.pause(20);
        }
    }

    @Override
    public void close() throws InterruptedException {
        stopping = true;
        thread.join();
    }

}
