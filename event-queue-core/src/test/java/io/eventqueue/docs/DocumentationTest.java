package io.eventqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.testsupport.MarkdownPage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every Java snippet of the README and of {@code docs} is part of a source file that the
 * build compiles, links lead somewhere, and the tests that a page names exist.
 *
 * <p>
 * Indentation does not count, a line {@code // ...} stands for anything left out, and
 * what is nested in a test class is {@code static} there.
 */
class DocumentationTest {

    private static final Pattern TEST_METHOD = Pattern
        .compile("`(\\w+(?:Test|Tests|IT|Contract))\\.(\\w+)`|`(\\w+(?:Test|Tests|IT|Contract))`");

    /** Links within the repository: file, and heading where there is one. */
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#\\s]*)(?:#([^)]*))?\\)");

    private static final List<String> SOURCES = MarkdownPage.quotableSources()
        .stream()
        .map(DocumentationTest::plain)
        .toList();

    static List<MarkdownPage> pages() {
        return MarkdownPage.all().toList();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyJavaSnippetIsCompiled(MarkdownPage page) {
        assertThat(page.blocks("java")).allSatisfy(block -> {
            for (String part : block.split("(?m)^\\s*// \\.\\.\\.$")) {
                String snippet = plain(part);
                assertThat(SOURCES.stream().anyMatch(source -> source.contains(snippet)))
                    .as("%s shows what no test source and no source of sample-app contains:%n%s", page, part)
                    .isTrue();
            }
        });
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyTestAPageNamesExists(MarkdownPage page) {
        assertThat(TEST_METHOD.matcher(page.text()).results().toList()).allSatisfy(named -> {
            boolean method = named.group(2) != null;
            String source = sourceOf(method ? named.group(1) : named.group(3));
            assertThat(source).as("%s names %s", page, named.group()).isNotEmpty();
            if (method) {
                assertThat(source).as("%s names %s", page, named.group()).contains("void " + named.group(2) + "(");
            }
        });
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyLinkLeadsSomewhere(MarkdownPage page) {
        assertThat(LINK.matcher(page.text()).results().toList()).allSatisfy(link -> {
            String target = link.group(1);
            Path file = target.isEmpty() ? page.path() : page.path().resolveSibling(target);
            assertThat(file).as("%s links %s", page, link.group()).exists();
            if (link.group(2) != null) {
                assertThat(headings(new MarkdownPage(file))).as("%s links %s", page, link.group())
                    .contains(link.group(2));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("pages")
    void theReadmeLinksEveryPage(MarkdownPage page) {
        MarkdownPage readme = MarkdownPage.of("README.md");
        assertThat(page.equals(readme) || readme.text().contains("(" + page + ")")).as("README.md links %s", page)
            .isTrue();
    }

    /** As GitHub makes anchors of headings. */
    private static List<String> headings(MarkdownPage page) {
        return page.text()
            .lines()
            .filter(line -> line.startsWith("#"))
            .map(line -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
            .map(heading -> heading.replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
            .toList();
    }

    @Test
    void theArchitectureNamesATestForEveryGuarantee() {
        List<MatchResult> rows = Pattern.compile("^\\| (\\d+) \\|.*$", Pattern.MULTILINE)
            .matcher(MarkdownPage.of("docs/architecture.md").text())
            .results()
            .toList();
        assertThat(rows).hasSize(12)
            .allSatisfy(row -> assertThat(TEST_METHOD.matcher(row.group()).find()).as(row.group()).isTrue());
    }

    private static String sourceOf(String testClass) {
        return MarkdownPage.quotableSources()
            .stream()
            .filter(source -> source.endsWith(testClass + ".java"))
            .map(DocumentationTest::read)
            .collect(Collectors.joining());
    }

    private static String plain(Path source) {
        return plain(read(source));
    }

    private static String plain(String text) {
        return text.lines()
            .map(line -> line.strip().replaceFirst("^(public )?static (class|record|interface)", "$2"))
            .filter(line -> !line.isEmpty())
            .collect(Collectors.joining("\n"));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

}
