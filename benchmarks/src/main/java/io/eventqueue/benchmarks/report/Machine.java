package io.eventqueue.benchmarks.report;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What the numbers were measured on. */
final class Machine {

    private Machine() {
    }

    static String describe() {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return "%d cores%s, %d GiB memory, %s %s, Java %s".formatted(system.getAvailableProcessors(), processor(),
                Math.round(system.getTotalMemorySize() / (double) (1L << 30)), system.getName(), system.getArch(),
                Runtime.version().feature());
    }

    private static String processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                .findFirst()
                .map(line -> " of " + line.substring(line.indexOf(':') + 1).strip())
                .orElse("");
        }
        catch (IOException notLinux) {
            return "";
        }
    }

}
