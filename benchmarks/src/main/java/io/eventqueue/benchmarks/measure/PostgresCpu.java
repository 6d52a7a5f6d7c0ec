package io.eventqueue.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * CPU time of the whole PostgreSQL server: the postmaster, its living children, and the
 * children it has buried (cutime and cstime). Read from /proc, so there is no number
 * where there is no /proc.
 */
final class PostgresCpu {

    private static final long NANOS_PER_TICK = 10_000_000; // USER_HZ is 100 on every
                                                           // Linux

    private static final int UTIME = 11; // positions after the process name in
                                         // /proc/<pid>/stat

    private static final int CSTIME = 14;

    private final long postmaster;

    PostgresCpu(long postmaster) {
        this.postmaster = postmaster;
    }

    OptionalLong nanos() {
        if (!Files.exists(stat(postmaster))) {
            return OptionalLong.empty();
        }
        long ticks = ticks(postmaster, CSTIME);
        try (Stream<ProcessHandle> children = ProcessHandle.of(postmaster).stream().flatMap(ProcessHandle::children)) {
            ticks += children.mapToLong(child -> ticks(child.pid(), UTIME + 1)).sum();
        }
        return OptionalLong.of(ticks * NANOS_PER_TICK);
    }

    /**
     * The sum of the fields from utime to the given one; 0 for a process that has just
     * ended.
     */
    private static long ticks(long pid, int last) {
        try {
            String stat = Files.readString(stat(pid));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            long sum = 0;
            for (int i = UTIME; i <= last; i++) {
                sum += Long.parseLong(fields[i]);
            }
            return sum;
        }
        catch (IOException ended) {
            return 0;
        }
    }

    private static Path stat(long pid) {
        return Path.of("/proc", Long.toString(pid), "stat");
    }

}
