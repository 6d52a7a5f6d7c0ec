package io.eventqueue.benchmarks.measure;

/** What a trial can report. */
public enum Metric {

    /** Events per second. */
    RATE,
    /** Milliseconds from commit to handler entry, or of a subscribe call. */
    P50, P99,
    /** Statements per event without BEGIN, COMMIT, ROLLBACK, SET and SHOW. */
    STATEMENTS,
    /** Transactions per event that wrote something. */
    TRANSACTIONS,
    /** Bytes of write-ahead log per event. */
    WAL,
    /**
     * Microseconds of CPU per event of all PostgreSQL processes, background ones
     * included.
     */
    POSTGRES_CPU,
    /** Microseconds of CPU per event of the contender's JVM. */
    JVM_CPU,
    /** Handler calls beyond one per event and handler. */
    DUPLICATES

}
