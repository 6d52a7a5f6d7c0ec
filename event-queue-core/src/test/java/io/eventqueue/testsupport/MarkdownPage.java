package io.eventqueue.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The README or a page of {@code docs}. Tests compile and run what pages show, so that
 * they stay true. Usable from the directory of any module.
 */
public record MarkdownPage(Path path) {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    public static MarkdownPage of(String path) {
        return new MarkdownPage(ROOT.resolve(path));
    }

    public static Stream<MarkdownPage> all() {
        return Stream.concat(Stream.of(of("README.md")), list(ROOT.resolve("docs"), ".md").map(MarkdownPage::new));
    }

    /** The Java sources that pages may quote: all tests, and the sample application. */
    public static List<Path> quotableSources() {
        try (Stream<Path> modules = Files.list(ROOT)) {
            return Stream
                .concat(modules.map(module -> module.resolve("src/test/java")),
                        Stream.of(ROOT.resolve("sample-app/src/main/java")))
                .filter(Files::isDirectory)
                .flatMap(directory -> list(directory, ".java"))
                .toList();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Path> list(Path directory, String suffix) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(suffix)).sorted().toList().stream();
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String text() {
        try {
            return Files.readString(path);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What stands between {@code ```language} and {@code ```}, in order. */
    public List<String> blocks(String language) {
        return Pattern.compile("^```" + language + "\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
            .matcher(text())
            .results()
            .map(block -> block.group(1))
            .toList();
    }

    @Override
    public String toString() {
        return ROOT.relativize(path).toString();
    }
}
