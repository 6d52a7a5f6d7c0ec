package io.eventqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the queue adds to the shop's first start on H2, tables included: below half a
 * second on an idle machine. The limit here is a share of the whole start, because a
 * build machine is seldom idle and slows down both.
 */
class StartUpCostIT {

    private static final double LARGEST_SHARE = 0.3;

    @TempDir
    private Path directory;

    @Test
    void theQueueAddsLittleToTheStart() throws Exception {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), MeasuredStart.class.getName(), "--server.port=0")
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .start();
        String output = new String(process.getInputStream().readAllBytes());
        Matcher measured = Pattern.compile("The queue's beans took (\\d+) of (\\d+) ms").matcher(output);
        assertThat(measured.find()).as(output).isTrue();
        System.out.println(measured.group());
        double took = Integer.parseInt(measured.group(1));
        double start = Integer.parseInt(measured.group(2));
        assertThat(took / start).isPositive().isLessThan(LARGEST_SHARE);
    }

}
