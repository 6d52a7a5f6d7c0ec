package io.eventqueue.benchmarks.process;

import io.eventqueue.benchmarks.contender.Contender;
import io.eventqueue.benchmarks.contender.ContenderCatalog;
import io.eventqueue.benchmarks.contender.Setup;
import io.eventqueue.benchmarks.measure.RecordingHandler;
import io.eventqueue.benchmarks.measure.ServerProbe;
import io.eventqueue.benchmarks.trial.Phase;
import io.eventqueue.benchmarks.trial.Trickle;
import io.eventqueue.benchmarks.trial.Workbench;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The JVM of one contender. It answers every line of standard input with one line of
 * standard output, and ends when the input ends, so that no child outlives the run.
 *
 * <ol>
 * <li>After the start: {@code ok} and the {@link Description}.
 * <li>{@code run PHASE EVENTS timed|counted}: runs one trial; {@code ok} and the
 * measurement.
 * <li>{@code listen EVENTS}, {@code heard EVENTS}: start the workers; wait for that many
 * events, stop the workers; {@code ok} and when each event was handled.
 * {@code trickle EVENTS}: publish; {@code ok} and when each event was committed. The two
 * halves of the latency across two JVMs.
 * <li>What goes wrong is answered with {@code failed} and the reason.
 * </ol>
 */
public final class ContenderMain {

    private static final long HEARING_SECONDS = 60;

    private final Workbench bench;

    private ContenderMain(Workbench bench) {
        this.bench = bench;
    }

    /**
     * Takes the contender's name, the JDBC URL, the number of handlers, and whether to
     * create the tables.
     */
    public static void main(String[] arguments) throws Exception {
        PrintStream replies = System.out;
        System.setOut(System.err); // whatever a library prints must not be taken for a
                                   // reply
        String jdbcUrl = arguments[1];
        int handlers = Integer.parseInt(arguments[2]);
        RecordingHandler handler = new RecordingHandler();
        Setup setup = new Setup(jdbcUrl, handler, handlers, Boolean.parseBoolean(arguments[3]));
        try (Contender contender = ContenderCatalog.open(arguments[0], setup);
                ServerProbe probe = new ServerProbe(jdbcUrl)) {
            replies.println("ok " + Description.of(contender).format());
            new ContenderMain(new Workbench(contender, handler, handlers, probe, jdbcUrl)).serve(replies);
        }
        catch (Exception ex) {
            ex.printStackTrace();
            replies.println("failed " + oneLine(ex));
        }
        Runtime.getRuntime().halt(0); // some peers leave threads behind
    }

    private void serve(PrintStream replies) throws IOException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            try {
                replies.println("ok " + answer(line.split(" ")));
            }
            catch (Exception ex) {
                ex.printStackTrace();
                replies.println("failed " + oneLine(ex));
            }
        }
    }

    private String answer(String[] words) throws Exception {
        return switch (words[0]) {
            case "run" ->
                bench.run(Phase.of(words[1]), Integer.parseInt(words[2]), words[3].equals("counted")).format();
            case "listen" -> listen(Integer.parseInt(words[1]));
            case "heard" -> heard(Integer.parseInt(words[1]));
            case "trickle" -> format(Trickle.publish(bench.contender(), Integer.parseInt(words[1])));
            default -> throw new IllegalArgumentException("unknown command " + words[0]);
        };
    }

    private String listen(int events) throws Exception {
        bench.contender().truncate();
        bench.handler().noteEntries(events);
        bench.contender().startWorkers();
        return "";
    }

    private String heard(int events) throws Exception {
        try {
            bench.awaitDone(events, HEARING_SECONDS);
            return format(bench.handler().entries());
        }
        finally {
            bench.contender().stopWorkers();
        }
    }

    private static String format(long[] times) {
        return Arrays.stream(times).mapToObj(Long::toString).collect(Collectors.joining(","));
    }

    private static String oneLine(Exception failure) {
        return failure.toString().replaceAll("\\s+", " ");
    }

}
