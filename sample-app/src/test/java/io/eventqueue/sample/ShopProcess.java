package io.eventqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.core.ConditionTimeoutException;

/** The shop in a process of its own, on a port of its own. */
final class ShopProcess implements AutoCloseable {

    private static final Pattern STARTED = Pattern.compile("Tomcat started on port (\\d+) ");

    private final Process process;

    private final Path output;

    private final ShopClient client;

    private ShopProcess(Path directory, List<String> program, List<String> arguments) {
        try {
            this.output = Files.createTempFile(directory, "shop", ".log");
            List<String> command = new ArrayList<>(
                    List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx160m",
                            "-XX:TieredStopAtLevel=1"));
            command.addAll(program);
            // The port and what was paid are read from the log, whatever configuration
            // of it is on the class path.
            command.addAll(List.of("--server.port=0", "--logging.level.root=info"));
            command.addAll(arguments);
            this.process = new ProcessBuilder(command).directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.client = new ShopClient(awaitPort());
    }

    private int awaitPort() {
        try {
            await().atMost(Duration.ofSeconds(180)).until(() -> !process.isAlive() || STARTED.matcher(output()).find());
            Matcher started = STARTED.matcher(output());
            assertThat(started.find()).isTrue();
            return Integer.parseInt(started.group(1));
        }
        catch (ConditionTimeoutException | AssertionError e) {
            kill();
            throw new AssertionError("The shop did not start:\n" + output(), e);
        }
    }

    /** From the classes the tests run with. */
    static ShopProcess start(Path directory, String... arguments) {
        return new ShopProcess(directory,
                List.of("-cp", System.getProperty("java.class.path"), SampleApplication.class.getName()),
                List.of(arguments));
    }

    static ShopProcess startJar(Path jar, Path directory, String... arguments) {
        return new ShopProcess(directory, List.of("-jar", jar.toString()), List.of(arguments));
    }

    ShopClient client() {
        return client;
    }

    String output() {
        try {
            return Files.readString(output);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As {@code kill -9}. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** As Ctrl-C. */
    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }

}
