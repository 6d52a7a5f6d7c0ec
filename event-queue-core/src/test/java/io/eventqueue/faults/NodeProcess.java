package io.eventqueue.faults;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link FaultNode} that can be hurt. */
final class NodeProcess implements AutoCloseable {

    private final ProcessBuilder command;

    private Process process;

    private boolean suspended;

    NodeProcess(Path log, String jdbcUrl, String user, String password) throws IOException {
        this.command = java(log, FaultNode.class, jdbcUrl, user, password);
        this.process = command.start();
    }

    /** A small JVM with the classes of the tests. */
    static ProcessBuilder java(Path log, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx96m", "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    }

    void kill() throws Exception {
        process.destroyForcibly().waitFor();
        process = command.start();
        suspended = false;
    }

    void stopOrderly() throws Exception {
        resume();
        process.destroy();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            throw new AssertionError("A node did not stop within 30 s");
        }
        process = command.start();
    }

    void suspend() throws Exception {
        signal("-STOP");
        suspended = true;
    }

    void resume() throws Exception {
        if (suspended) {
            signal("-CONT");
            suspended = false;
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    private void signal(String signal) throws Exception {
        new ProcessBuilder("kill", signal, Long.toString(process.pid())).start().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

}
