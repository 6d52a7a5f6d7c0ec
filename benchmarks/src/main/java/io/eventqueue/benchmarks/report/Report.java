package io.eventqueue.benchmarks.report;

import io.eventqueue.benchmarks.measure.Metric;
import io.eventqueue.benchmarks.trial.Phase;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * Says what a run has found: for people as tables and a chart, for scripts as lines
 * {@code RATIO name value}.
 */
public final class Report {

    private static final List<Metric> COSTS = List.of(Metric.STATEMENTS, Metric.TRANSACTIONS, Metric.WAL,
            Metric.POSTGRES_CPU, Metric.JVM_CPU);

    private final Results results;

    private final String subject;

    private final String serverSettings;

    public Report(Results results, String subject, String serverSettings) {
        this.results = results;
        this.subject = subject;
        this.serverSettings = serverSettings;
    }

    public void print(PrintStream out) {
        out.println("\n" + Machine.describe() + "\n" + serverSettings + "\n");
        out.println("Medians: events/s; latency as p50 / p99 in ms");
        out.println(rates().plain());
        out.println("Cost of one event");
        out.println(costs().plain());
        results.failures().forEach(failure -> out.println("FAILED " + failure));
        for (Ratio ratio : Ratio.values()) {
            OptionalDouble value = results.ratio(ratio, subject);
            value.ifPresent(v -> out.printf(Locale.ROOT, "RATIO %s %.2f%n", ratio.label(), v));
        }
    }

    /** Writes benchmarks.md and benchmarks.svg. */
    public void write(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("benchmarks.md"), markdown());
        Files.writeString(directory.resolve("benchmarks.svg"), chart());
    }

    private String markdown() {
        return String.join("\n", "Measured on " + Machine.describe() + ".  ", serverSettings + ".", "",
                "Events per second; latency from commit to handler entry as p50 / p99 in milliseconds.", "",
                rates().markdown(), "The cost of one event:", "", costs().markdown(), "Ratios:", "",
                ratios().markdown(), "Settings:", "", settings().markdown());
    }

    private Table rates() {
        List<Phase> phases = results.phases();
        Table table = new Table(Stream.concat(Stream.of(""), phases.stream().map(Phase::title)).toList());
        for (String contender : results.descriptions().keySet()) {
            List<String> row = new ArrayList<>(List.of(contender));
            phases.forEach(phase -> row.add(cell(contender, phase)));
            table.add(row);
        }
        return table;
    }

    private String cell(String contender, Phase phase) {
        if (phase.metric() == Metric.RATE) {
            return number(results.median(contender, phase, Metric.RATE), "%,.0f");
        }
        OptionalDouble median = results.median(contender, phase, Metric.P50);
        if (median.isEmpty()) {
            return "-";
        }
        return number(median, "%.2f") + " / " + number(results.median(contender, phase, Metric.P99), "%.2f");
    }

    private Table costs() {
        Table table = new Table(List.of("", "phase", "statements", "transactions", "WAL bytes", "PostgreSQL CPU us",
                "JVM CPU us", "duplicates"));
        for (Phase phase : List.of(Phase.PUBLISH_ONE, Phase.DRAIN, Phase.DRAIN_FANOUT)) {
            for (String contender : results.descriptions().keySet()) {
                if (results.median(contender, phase, Metric.RATE).isPresent()) {
                    List<String> row = new ArrayList<>(List.of(contender, phase.title()));
                    COSTS.forEach(cost -> row.add(number(results.median(contender, phase, cost), format(cost))));
                    row.add(number(results.median(contender, phase, Metric.DUPLICATES), "%.0f"));
                    table.add(row);
                }
            }
        }
        return table;
    }

    private static String format(Metric cost) {
        return switch (cost) {
            case STATEMENTS, TRANSACTIONS -> "%.3f";
            default -> "%,.0f";
        };
    }

    private Table ratios() {
        Table table = new Table(List.of("ratio", "at least", "measured"));
        for (Ratio ratio : Ratio.values()) {
            table.add(List.of("`" + ratio.label() + "`", String.format(Locale.ROOT, "%.1f", ratio.target()),
                    number(results.ratio(ratio, subject), "%.2f")));
        }
        return table;
    }

    private Table settings() {
        Table table = new Table(List.of("contender", "version", "settings"));
        results.descriptions()
            .forEach((name, description) -> table.add(List.of(name, description.version(), description.settings())));
        return table;
    }

    private String chart() {
        BarChart chart = new BarChart(subject, Machine.describe());
        for (Phase phase : results.phases()) {
            List<BarChart.Bar> bars = new ArrayList<>();
            for (String contender : results.descriptions().keySet()) {
                results.median(contender, phase, phase.metric())
                    .ifPresent(value -> bars.add(new BarChart.Bar(contender, value)));
            }
            boolean rate = phase.metric() == Metric.RATE;
            chart.add(new BarChart.Panel(phase.title(),
                    rate ? "events per second, more is better" : "milliseconds (median, logarithmic), less is better",
                    !rate, bars));
        }
        return chart.svg();
    }

    private static String number(OptionalDouble value, String format) {
        return value.isPresent() ? String.format(Locale.ROOT, format, value.getAsDouble()) : "-";
    }

}
