package io.eventqueue.faults;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A {@link FaultNode} that can be hurt. */
final class NodeProcess implements AutoCloseable {

    private final ProcessBuilder command;

    private Process process;

    private boolean suspended;

    NodeProcess(Path log, String jdbcUrl, String user, String password) throws IOException {
        this.command = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx96m",
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
                FaultNode.class.getName(), jdbcUrl, user, password)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        this.process = command.start();
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
