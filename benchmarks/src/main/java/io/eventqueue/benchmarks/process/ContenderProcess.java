package io.eventqueue.benchmarks.process;

import io.eventqueue.benchmarks.measure.Measurement;
import io.eventqueue.benchmarks.trial.Phase;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A contender in its own JVM, seen from the run. While it is not asked anything it does
 * nothing, so several can be open and take turns. Its standard error goes to a file.
 */
public final class ContenderProcess implements AutoCloseable {

    private final String name;

    private final Path log;

    private final Process process;

    private final BufferedWriter commands;

    private final BufferedReader replies;

    private final Description description;

    private ContenderProcess(String name, Path log, Process process) throws IOException, ContenderFailure {
        this.name = name;
        this.log = log;
        this.process = process;
        this.commands = process.outputWriter();
        this.replies = process.inputReader();
        this.description = Description.parse(reply());
    }

    /**
     * Starts the JVM that runs this class once more, with the same class path.
     * @param ownsSchema whether it creates the tables
     */
    public static ContenderProcess start(String name, String jdbcUrl, int handlers, boolean ownsSchema, Path logs)
            throws IOException, ContenderFailure {
        Files.createDirectories(logs);
        Path log = logs.resolve(name + ".log");
        List<String> command = List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx2g",
                "-cp", System.getProperty("java.class.path"), ContenderMain.class.getName(), name, jdbcUrl,
                Integer.toString(handlers), Boolean.toString(ownsSchema));
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
        return new ContenderProcess(name, log, process);
    }

    public String name() {
        return name;
    }

    public Description description() {
        return description;
    }

    public Measurement run(Phase phase, int events) throws IOException, ContenderFailure {
        return Measurement.parse(ask("run " + phase.argument() + " " + events + " timed"));
    }

    /** Counts statements instead of taking the time. */
    public Measurement count(Phase phase, int events) throws IOException, ContenderFailure {
        return Measurement.parse(ask("run " + phase.argument() + " " + events + " counted"));
    }

    void listen(int events) throws IOException, ContenderFailure {
        ask("listen " + events);
    }

    long[] heard(int events) throws IOException, ContenderFailure {
        return times(ask("heard " + events));
    }

    long[] trickle(int events) throws IOException, ContenderFailure {
        return times(ask("trickle " + events));
    }

    private static long[] times(String reply) {
        return Arrays.stream(reply.split(",")).mapToLong(Long::parseLong).toArray();
    }

    private String ask(String command) throws IOException, ContenderFailure {
        commands.write(command);
        commands.newLine();
        commands.flush();
        return reply();
    }

    private String reply() throws IOException, ContenderFailure {
        @Nullable String reply = replies.readLine();
        if (reply == null) {
            throw new ContenderFailure(name + " ended without an answer, see " + log);
        }
        if (!reply.startsWith("ok ")) {
            throw new ContenderFailure(name + " " + reply + ", see " + log);
        }
        return reply.substring("ok ".length());
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.getOutputStream().close();
        if (!process.waitFor(15, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }

}
