package io.eventqueue.benchmarks.contender;

import java.util.List;

/**
 * One library, or hand-written baseline, under measurement. It lives in a JVM and a
 * database of its own.
 *
 * <ol>
 * <li>{@link Factory#open} wires it; nothing is worked on yet.
 * <li>{@link #publish} and {@link #publishAll} are called from many threads, with workers
 * running or not.
 * <li>{@link #startWorkers} begins handling: the handler of the {@link Setup} is called
 * for every event and every configured handler. {@link #stopWorkers} ends it and returns
 * when no handler runs any more.
 * <li>The pair start/stop repeats; {@link #truncate} is only called between them.
 * </ol>
 *
 * What is stored must be durable when a publish method returns, and an event counts as
 * done only when the database says so: {@link #unfinished} is what ends a drain, not the
 * last call of the handler.
 */
public interface Contender extends AutoCloseable {

    /** Opens a contender, with its tables, on the database of the {@link Setup}. */
    @FunctionalInterface
    interface Factory {

        Contender open(Setup setup) throws Exception;

    }

    String version();

    /** Everything that was set differently from the defaults, for the report. */
    String settings();

    /** Empties all tables. */
    void truncate() throws Exception;

    /** Publishes one event in a transaction of its own. */
    void publish(String payload) throws Exception;

    /**
     * Publishes all in one transaction, with the fastest way the library offers for that.
     */
    void publishAll(List<String> payloads) throws Exception;

    /**
     * Waits, untimed, until everything published while the workers were down may be
     * handled.
     */
    default void awaitDue() throws Exception {
    }

    void startWorkers() throws Exception;

    void stopWorkers() throws Exception;

    /**
     * How many rows are not yet done, in the library's own sense of done. Zero ends a
     * drain.
     */
    long unfinished() throws Exception;

    /** False if events published by one JVM are not promptly handled in another. */
    default boolean worksAcrossJvms() {
        return true;
    }

    /** False if it can only publish. */
    default boolean handles() {
        return true;
    }

    @Override
    default void close() throws Exception {
    }

}
