package io.eventqueue.benchmarks;

import io.eventqueue.benchmarks.measure.Measurement;
import io.eventqueue.benchmarks.measure.Metric;
import io.eventqueue.benchmarks.process.ContenderFailure;
import io.eventqueue.benchmarks.process.ContenderProcess;
import io.eventqueue.benchmarks.process.EmbeddedServer;
import io.eventqueue.benchmarks.report.Results;
import io.eventqueue.benchmarks.trial.Phase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Contenders that are open together, each in a fresh JVM on a fresh database, and take
 * turns.
 *
 * <ol>
 * <li>Phases come in blocks. A block begins with a warm-up of its first phase.
 * <li>Then, round by round, each phase of the block is run by one contender after the
 * other, in turned order in every second round. Neighbours in time are what a ratio
 * compares.
 * <li>At last one small trial counts statements.
 * <li>A contender that fails leaves the session; the others go on.
 * </ol>
 */
final class Session implements AutoCloseable {

    private static final int COUNTED_EVENTS = 2000;

    private static final int WARM_UP_SECONDS = 20;

    private static final int MOST_WARM_UPS = 12;

    private static final int LONGEST_TRIAL_SECONDS = 60;

    private final Options options;

    private final EmbeddedServer server;

    private final Results results;

    private final List<ContenderProcess> processes = new ArrayList<>();

    private Session(Options options, EmbeddedServer server, Results results) {
        this.options = options;
        this.server = server;
        this.results = results;
    }

    /** Opens the contenders; one that does not start is reported and left out. */
    static Session open(List<String> contenders, int handlers, Options options, EmbeddedServer server, Path logs,
            Results results) throws IOException {
        Session session = new Session(options, server, results);
        for (String contender : contenders) {
            try {
                String jdbcUrl = server.createDatabase(contender);
                ContenderProcess process = ContenderProcess.start(contender, jdbcUrl, handlers, true, logs);
                results.describe(contender, process.description());
                session.processes.add(process);
            }
            catch (ContenderFailure ex) {
                session.report(ex);
            }
        }
        return session;
    }

    void run(List<Phase> block) throws IOException, InterruptedException {
        List<Phase> wanted = block.stream()
            .filter(phase -> processes.stream().anyMatch(process -> wants(process, phase)))
            .toList();
        if (wanted.isEmpty()) {
            return;
        }
        for (int round = 0; round <= options.repeats(); round++) {
            for (Phase phase : round == 0 ? wanted.subList(0, 1) : wanted) {
                runRound(phase, round);
            }
        }
        for (Phase phase : wanted) {
            if (phase == Phase.PUBLISH_ONE || phase == Phase.DRAIN || phase == Phase.DRAIN_FANOUT) {
                count(phase);
            }
        }
    }

    private void runRound(Phase phase, int round) throws IOException, InterruptedException {
        List<ContenderProcess> order = round % 2 == 0 ? processes.reversed() : processes;
        for (ContenderProcess process : List.copyOf(order)) {
            if (!wants(process, phase) || isTooLong(process, phase)) {
                continue;
            }
            try {
                if (round == 0) {
                    warmUp(process, phase);
                    continue;
                }
                Measurement measured = process.run(phase, options.events(phase));
                results.add(process.name(), phase, round, measured);
                say("%-18s %-18s round %d: %s", phase.argument(), process.name(), round, text(phase, measured));
            }
            catch (ContenderFailure ex) {
                drop(process, ex);
            }
        }
    }

    /** Until the JIT has compiled what is measured, or the contender is slow anyway. */
    private void warmUp(ContenderProcess process, Phase phase)
            throws IOException, InterruptedException, ContenderFailure {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WARM_UP_SECONDS);
        int runs = 0;
        do {
            process.run(phase, options.warmUpEvents(phase));
            runs++;
        }
        while (phase == Phase.DRAIN && runs < MOST_WARM_UPS && System.nanoTime() < end);
    }

    private void count(Phase phase) throws IOException, InterruptedException {
        for (ContenderProcess process : List.copyOf(processes)) {
            if (wants(process, phase)) {
                try {
                    results.addCounted(process.name(), phase, process.count(phase, COUNTED_EVENTS));
                }
                catch (ContenderFailure ex) {
                    drop(process, ex);
                }
            }
        }
    }

    private boolean wants(ContenderProcess process, Phase phase) {
        return options.wants(process.name(), phase) && process.description().supports(phase);
    }

    /** A slow contender need not prove its slowness for minutes. */
    private boolean isTooLong(ContenderProcess process, Phase phase) {
        double rate = results.median(process.name(), Phase.DRAIN, Metric.RATE).orElse(Double.MAX_VALUE);
        return phase == Phase.DRAIN_LONG && options.events(phase) / rate > LONGEST_TRIAL_SECONDS;
    }

    private void drop(ContenderProcess process, ContenderFailure failure) throws IOException, InterruptedException {
        report(failure);
        processes.remove(process);
        process.close();
    }

    private void report(ContenderFailure failure) {
        String message = String.valueOf(failure.getMessage());
        results.fail(message);
        say("FAILED: %s", message);
    }

    static String text(Phase phase, Measurement measured) {
        if (phase.metric() == Metric.RATE) {
            return String.format(Locale.ROOT, "%,.0f events/s", measured.get(Metric.RATE).orElse(Double.NaN));
        }
        return String.format(Locale.ROOT, "p50 %.2f ms, p99 %.2f ms", measured.get(Metric.P50).orElse(Double.NaN),
                measured.get(Metric.P99).orElse(Double.NaN));
    }

    private static void say(String format, Object... arguments) {
        System.out.println(String.format(Locale.ROOT, format, arguments));
    }

    @Override
    public void close() throws IOException, InterruptedException {
        for (ContenderProcess process : processes) {
            process.close();
            server.dropDatabase(process.name());
        }
    }

}
