package io.eventqueue.benchmarks;

import io.eventqueue.benchmarks.process.EmbeddedServer;
import io.eventqueue.benchmarks.report.Ratio;
import io.eventqueue.benchmarks.report.Report;
import io.eventqueue.benchmarks.report.Results;
import io.eventqueue.benchmarks.trial.Phase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The whole run; started by {@code benchmarks/run}.
 *
 * <ol>
 * <li>Start a durable PostgreSQL.
 * <li>The contenders that ratios compare are open together and take turns, see
 * {@link Session}. All others follow one by one.
 * <li>Fan-out and latency across two JVMs need other set-ups and get fresh JVMs,
 * contender by contender.
 * <li>Print the tables and the ratios; write the table as Markdown and the chart as SVG.
 * </ol>
 */
public final class BenchmarkRun {

    private static final List<List<Phase>> BLOCKS = List.of(List.of(Phase.PUBLISH_ONE, Phase.PUBLISH_HUNDRED),
            List.of(Phase.DRAIN, Phase.DRAIN_HELD, Phase.DRAIN_LONG), List.of(Phase.LATENCY),
            List.of(Phase.SUBSCRIBE, Phase.SUBSCRIBE_FOREIGN));

    private final Options options;

    private final EmbeddedServer server;

    private final Path logs;

    private final Results results = new Results();

    private BenchmarkRun(Options options, EmbeddedServer server, Path logs) {
        this.options = options;
        this.server = server;
        this.logs = logs;
    }

    public static void main(String[] arguments) throws Exception {
        if (List.of(arguments).contains("--help")) {
            System.out.print(Options.USAGE);
            return;
        }
        Options options;
        try {
            options = Options.parse(arguments);
        }
        catch (RuntimeException ex) {
            System.err.println(ex.getMessage());
            System.err.print(Options.USAGE);
            System.exit(2);
            return;
        }
        Path output = Path.of(System.getProperty("benchmarks.output", "target"));
        try (EmbeddedServer server = new EmbeddedServer(output.resolve("postgres"))) {
            String serverSettings = server.settings();
            System.out.println(serverSettings);
            BenchmarkRun run = new BenchmarkRun(options, server, output.resolve("logs"));
            run.measure();
            Report report = new Report(run.results, options.subject(), serverSettings);
            report.print(System.out);
            report.write(output);
            if (options.docs() != null) {
                report.write(options.docs());
            }
        }
    }

    private void measure() throws IOException, InterruptedException {
        for (List<String> together : groups()) {
            try (Session session = Session.open(together, 1, options, server, logs, results)) {
                for (List<Phase> block : BLOCKS) {
                    session.run(block);
                }
            }
        }
        for (String contender : options.contenders()) {
            if (options.wants(contender, Phase.DRAIN_FANOUT)) {
                try (Session session = Session.open(List.of(contender), Phase.DRAIN_FANOUT.handlers(), options, server,
                        logs, results)) {
                    session.run(List.of(Phase.DRAIN_FANOUT));
                }
            }
            if (options.wants(contender, Phase.LATENCY_TWO_JVMS)) {
                new TwoJvmSession(options, server, logs, results).run(contender);
            }
        }
    }

    /**
     * Those that ratios compare first, together; then each of the others alone. Nobody
     * without a wanted phase.
     */
    private List<List<String>> groups() {
        List<Phase> phases = BLOCKS.stream().flatMap(List::stream).toList();
        List<String> wanted = options.contenders()
            .stream()
            .filter(contender -> phases.stream().anyMatch(phase -> options.wants(contender, phase)))
            .toList();
        Set<String> compared = Ratio.contenders(options.subject());
        List<List<String>> groups = new ArrayList<>();
        groups.add(wanted.stream().filter(compared::contains).toList());
        wanted.stream().filter(contender -> !compared.contains(contender)).map(List::of).forEach(groups::add);
        groups.removeIf(List::isEmpty);
        return groups;
    }

}
