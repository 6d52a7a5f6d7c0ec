package io.eventqueue.testsupport;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Programs of the machine that tests run; where one is missing its test is skipped. */
public final class Programs {

    private Programs() {
    }

    public static void require(String... names) {
        for (String name : names) {
            Assumptions.assumeTrue(
                    Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(path -> Files.isExecutable(Path.of(path, name))),
                    () -> "there is no " + name + " here");
        }
    }

}
