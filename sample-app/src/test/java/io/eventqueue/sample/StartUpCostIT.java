package io.eventqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the queue adds to the shop's first start on H2, tables included: below half a
 * second on an idle machine. The limit here is ten times that, because a build machine is
 * seldom idle.
 */
class StartUpCostIT {

    private static final int LIMIT_MILLIS = 5000;

    @TempDir
    private Path directory;

    @Test
    @Timeout(120)
    void theQueueAddsLittleToTheStart() throws Exception {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                System.getProperty("java.class.path"), MeasuredStart.class.getName(), "--server.port=0")
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .start();
        String output = new String(process.getInputStream().readAllBytes());
        Matcher measured = Pattern.compile("The queue's beans took (\\d+) ms").matcher(output);
        assertThat(measured.find()).as(output).isTrue();
        System.out.println(measured.group());
        assertThat(Integer.parseInt(measured.group(1))).isPositive().isLessThan(LIMIT_MILLIS);
    }

}
