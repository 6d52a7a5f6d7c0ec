package io.eventqueue.benchmarks.contender;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.ThreadLocalContextTransactionManager;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * transaction-outbox. With workers it submits to its executor right after the commit, and
 * a thread calls {@code flush()} every second for what was left behind. Without workers
 * nothing is submitted, as if the publishing JVM had died: entries become due when the
 * attempt frequency of two seconds has passed, and {@code flush()} drains.
 */
final class TransactionOutboxContender implements Contender {

    /** What is scheduled; must be public for the library's proxy. */
    public interface EventReceiver {

        void receive(String payload);

    }

    private static final int THREADS = 20;

    private static final int QUEUE = 16_384;

    private static final int FLUSH_BATCH = 4096;

    private static final Duration DUE_AFTER = Duration.ofSeconds(2);

    private final Setup setup;

    private final Database database;

    private final ThreadLocalContextTransactionManager transactions;

    private final TransactionOutbox storing;

    private volatile @Nullable Running running;

    TransactionOutboxContender(Setup setup) {
        this.setup = setup;
        this.database = setup.database(THREADS + 12);
        transactions = TransactionManager.fromDataSource(database.dataSource());
        storing = outbox().attemptFrequency(DUE_AFTER).submitter((entry, executor) -> {
        }).build();
    }

    private TransactionOutbox.TransactionOutboxBuilder outbox() {
        return TransactionOutbox.builder()
            .transactionManager(transactions)
            .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
            .instantiator(Instantiator.using(type -> (EventReceiver) setup.handler()::accept))
            .serializeMdc(false);
    }

    @Override
    public String version() {
        return "4.2.268";
    }

    @Override
    public String settings() {
        return ("POSTGRESQL_9, executor of %d threads (queue %d), flush batch %d, serializeMdc=false; "
                + "drain = flush() in a loop, live = submit after commit")
            .formatted(THREADS, QUEUE, FLUSH_BATCH);
    }

    @Override
    public boolean worksAcrossJvms() {
        return false; // another JVM sees an entry only after the attempt frequency, as a
                      // recovery
    }

    @Override
    public void truncate() throws SQLException {
        database.execute("TRUNCATE txno_outbox");
    }

    @Override
    public void publish(String payload) {
        publishAll(List.of(payload));
    }

    @Override
    public void publishAll(List<String> payloads) {
        Running workers = running;
        TransactionOutbox outbox = workers == null ? storing : workers.outbox;
        transactions.inTransaction(() -> {
            EventReceiver receiver = outbox.schedule(EventReceiver.class);
            Repeated.times(setup.handlers(), payloads).forEach(receiver::receive);
        });
    }

    @Override
    public void awaitDue() throws InterruptedException {
        Thread.sleep(DUE_AFTER.plusMillis(500));
    }

    @Override
    public void startWorkers() {
        running = new Running();
    }

    @Override
    public void stopWorkers() throws InterruptedException {
        Running workers = running;
        running = null;
        if (workers != null) {
            workers.stop();
        }
    }

    @Override
    public long unfinished() throws SQLException {
        return database.count("SELECT count(*) FROM txno_outbox");
    }

    /** The executor and the thread that flushes. */
    private final class Running {

        private final ThreadPoolExecutor executor = new ThreadPoolExecutor(THREADS, THREADS, 0, TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(QUEUE));

        private final TransactionOutbox outbox;

        private final Thread flusher;

        private volatile boolean stopped;

        Running() {
            // The documentation of the submitter allows blocking; dropping would leave
            // entries until they are due again.
            executor.setRejectedExecutionHandler((task, full) -> {
                try {
                    full.getQueue().put(task);
                }
                catch (InterruptedException e) {
                    throw new RejectedExecutionException(e);
                }
            });
            outbox = outbox().attemptFrequency(Duration.ofMinutes(2))
                .flushBatchSize(FLUSH_BATCH)
                .submitter(Submitter.withExecutor(executor))
                .build();
            flusher = Thread.ofPlatform().name("flush").start(this::flush);
        }

        private void flush() {
            try {
                while (!stopped) {
                    if (!outbox.flush()) {
                        Thread.sleep(1000);
                    }
                }
            }
            catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void stop() throws InterruptedException {
            stopped = true;
            flusher.interrupt();
            flusher.join();
            executor.shutdown();
            executor.awaitTermination(10, TimeUnit.SECONDS);
        }

    }

}
