package io.eventqueue.benchmarks.measure;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Measures what happens between {@link #start} and {@link #stop}: time, write-ahead log,
 * CPU of both sides, and, in a counted trial, statements. A counted trial reports no time
 * and no CPU, because counting slows it down.
 */
public final class CostMeter {

    private static final OperatingSystemMXBean JVM = (OperatingSystemMXBean) ManagementFactory
        .getOperatingSystemMXBean();

    private final ServerProbe probe;

    private final boolean counted;

    private long startNanos;

    private long startWal;

    private long startTransactions;

    private long startJvmCpu;

    private OptionalLong startPostgresCpu = OptionalLong.empty();

    public CostMeter(ServerProbe probe, boolean counted) {
        this.probe = probe;
        this.counted = counted;
    }

    public void start() throws SQLException, InterruptedException {
        if (counted) {
            probe.countStatements(true);
        }
        startWal = probe.walBytes();
        startTransactions = probe.transactionIds();
        startPostgresCpu = probe.cpu().nanos();
        startJvmCpu = JVM.getProcessCpuTime();
        startNanos = System.nanoTime();
    }

    public Measurement stop(int events) throws SQLException, InterruptedException {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        double jvmMicros = (JVM.getProcessCpuTime() - startJvmCpu) / 1e3;
        OptionalLong postgresCpu = probe.cpu().nanos();
        Map<Metric, Double> values = new EnumMap<>(Metric.class);
        if (counted) {
            values.put(Metric.STATEMENTS, (double) probe.statements() / events);
            probe.countStatements(false);
            return new Measurement(values);
        }
        values.put(Metric.RATE, events / seconds);
        values.put(Metric.WAL, (double) (probe.walBytes() - startWal) / events);
        values.put(Metric.TRANSACTIONS, (double) (probe.transactionIds() - startTransactions) / events);
        values.put(Metric.JVM_CPU, jvmMicros / events);
        if (postgresCpu.isPresent() && startPostgresCpu.isPresent()) {
            double micros = (postgresCpu.getAsLong() - startPostgresCpu.getAsLong()) / 1e3;
            values.put(Metric.POSTGRES_CPU, micros / events);
        }
        return new Measurement(values);
    }

}
