package io.eventqueue.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * The Gradle files describe what the POMs describe. Gradle is not run here, so the two
 * are read and compared: modules, every module's dependencies by scope, and versions.
 */
class GradleTwinTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final String CATALOG = "gradle/libs.versions.toml";

    /** Gradle configuration to what it means in a POM. */
    private static final Map<String, String> SCOPES = Map.of("api", "compile", "implementation", "compile",
            "runtimeOnly", "runtime", "compileOnly", "provided or optional", "testImplementation", "test",
            "testRuntimeOnly", "test", "annotationProcessor", "annotation processor");

    private static final Pattern GRADLE_DEPENDENCY = Pattern
        .compile("(?m)^ {4}(\\w+)\\((platform\\()?(?:libs\\.([\\w.]+)|project\\((?:path = )?\":([\\w-]+)\"(.*)\\))\\)");

    private final Element rootPom = pom("pom.xml");

    private final Map<String, String> libraries = catalog("libraries", "([\\w-]+) = \\{ module = \"([^\"]+)\".*");

    @Test
    void sameModules() {
        assertThat(all(read("settings.gradle.kts"), "include\\(\"([\\w-]+)\"\\)").map(found -> found.group(1)))
            .as("include(...) in settings.gradle.kts and <module> in pom.xml")
            .containsExactlyInAnyOrderElementsOf(modules());
    }

    /** Of the ordinary build and of the profiles. */
    static List<String> modules() {
        List<String> found = new ArrayList<>();
        var modules = pom("pom.xml").getElementsByTagName("module");
        for (int i = 0; i < modules.getLength(); i++) {
            found.add(modules.item(i).getTextContent());
        }
        return found;
    }

    @ParameterizedTest
    @MethodSource("modules")
    void sameDependencies(String module) {
        SortedSet<String> maven = mavenDependencies(module);
        SortedSet<String> gradle = gradleDependencies(module);
        assertThat(minus(maven, gradle))
            .as("in %1$s/pom.xml but not in %1$s/build.gradle.kts: add them there (%2$s) and to [libraries] in %3$s",
                    module, SCOPES, CATALOG)
            .isEmpty();
        assertThat(minus(gradle, maven))
            .as("in %1$s/build.gradle.kts but not in %1$s/pom.xml: add them there, or remove them here", module)
            .isEmpty();
    }

    @Test
    void sameVersions() {
        Map<String, String> expected = new TreeMap<>();
        expected.put("java", property("java.release"));
        managed().values().forEach(name -> expected.put(name, property(name + ".version")));
        assertThat(catalog("versions", "([\\w-]+) = \"([^\"]+)\""))
            .as("[versions] in %s against the properties (without '.version') that <dependencyManagement> in pom.xml uses",
                    CATALOG)
            .isEqualTo(expected);
        assertThat(read("build.gradle.kts")).as("version in build.gradle.kts as in pom.xml")
            .contains("version = \"" + text(rootPom, "version") + "\"");
    }

    @Test
    void librariesHaveTheVersionThatMavenManages() {
        Map<String, String> references = new TreeMap<>();
        all(read(CATALOG), "module = \"([^\"]+)\", version.ref = \"([^\"]+)\"")
            .forEach(found -> references.put(found.group(1), found.group(2)));
        assertThat(references).as("version.ref in %s against <dependencyManagement> in pom.xml", CATALOG)
            .isEqualTo(managed());
    }

    @Test
    void catalogHasNothingUnused() {
        SortedSet<String> used = new TreeSet<>();
        modules().forEach(module -> all(read(module + "/build.gradle.kts"), "libs\\.([\\w.]+)")
            .forEach(found -> used.add(found.group(1))));
        assertThat(minus(accessors().keySet(), used)).as("[libraries] in %s that no module uses", CATALOG).isEmpty();
    }

    private static SortedSet<String> mavenDependencies(String module) {
        Element pom = pom(module + "/pom.xml");
        SortedSet<String> found = new TreeSet<>();
        children(child(pom, "dependencies")).forEach(dependency -> {
            assertThat(text(dependency, "version")).as("versions belong into the root pom.xml").isEmpty();
            String scope = text(dependency, "scope");
            boolean optional = scope.equals("provided") || text(dependency, "optional").equals("true");
            found.add(line(coordinates(dependency), text(dependency, "type").equals("test-jar"),
                    optional ? "provided or optional" : scope.isEmpty() ? "compile" : scope));
        });
        var paths = pom.getElementsByTagName("path");
        for (int i = 0; i < paths.getLength(); i++) {
            found.add(line(coordinates((Element) paths.item(i)), false, "annotation processor"));
        }
        return found;
    }

    private SortedSet<String> gradleDependencies(String module) {
        SortedSet<String> found = new TreeSet<>();
        String content = read(module + "/build.gradle.kts");
        assertThat(content).as("dependencies go through %s", CATALOG).doesNotContainPattern("\\(\"[\\w.]+:[\\w.-]+");
        GRADLE_DEPENDENCY.matcher(content).results().forEach(match -> {
            assertThat(SCOPES).as("configurations used in %s/build.gradle.kts", module).containsKey(match.group(1));
            if (match.group(3) != null) {
                assertThat(accessors()).as("[libraries] in %s", CATALOG).containsKey(match.group(3));
            }
            String coordinates = (match.group(3) != null) ? accessors().get(match.group(3))
                    : "io.eventqueue:" + match.group(4);
            if (match.group(2) == null) {
                boolean testJar = match.group(5) != null && match.group(5).contains("\"testJar\"");
                found.add(line(coordinates, testJar, SCOPES.get(match.group(1))));
            }
            else {
                assertThat(managed()).as("platforms are imported BOMs in pom.xml").containsKey(coordinates);
            }
        });
        return found;
    }

    private static String line(String coordinates, boolean testJar, String scope) {
        return coordinates + (testJar ? " test-jar" : "") + " (" + scope + ")";
    }

    /** What the root POM manages itself, each with the name of its version property. */
    private Map<String, String> managed() {
        Map<String, String> found = new TreeMap<>();
        children(child(child(rootPom, "dependencyManagement"), "dependencies"))
            .filter(dependency -> !text(dependency, "groupId").equals("io.eventqueue"))
            .forEach(dependency -> found.put(coordinates(dependency),
                    text(dependency, "version").replaceAll("\\$\\{(.*)\\.version}", "$1")));
        return found;
    }

    private Map<String, String> accessors() {
        Map<String, String> found = new TreeMap<>();
        libraries.forEach((alias, coordinates) -> found.put(alias.replace('-', '.'), coordinates));
        return found;
    }

    private static Map<String, String> catalog(String section, String entry) {
        String content = read(CATALOG).split("\\[" + section + "]\n")[1].split("\n\\[")[0];
        Map<String, String> found = new TreeMap<>();
        all(content, "(?m)^" + entry + "$").forEach(match -> found.put(match.group(1), match.group(2)));
        return found;
    }

    private String property(String name) {
        return text(child(rootPom, "properties"), name);
    }

    private static SortedSet<String> minus(Iterable<String> all, SortedSet<String> others) {
        SortedSet<String> rest = new TreeSet<>();
        all.forEach(rest::add);
        rest.removeAll(others);
        return rest;
    }

    private static Stream<MatchResult> all(String content, String regex) {
        return Pattern.compile(regex).matcher(content).results();
    }

    private static String coordinates(Element dependency) {
        return text(dependency, "groupId") + ":" + text(dependency, "artifactId");
    }

    private static String text(Element parent, String name) {
        return children(parent).filter(node -> node.getTagName().equals(name))
            .map(Node::getTextContent)
            .findFirst()
            .orElse("");
    }

    private static Element child(Element parent, String name) {
        return children(parent).filter(node -> node.getTagName().equals(name)).findFirst().orElseThrow();
    }

    private static Stream<Element> children(Element parent) {
        List<Element> found = new ArrayList<>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element) {
                found.add(element);
            }
        }
        return found.stream();
    }

    private static Element pom(String path) {
        try {
            return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(ROOT.resolve(path).toFile())
                .getDocumentElement();
        }
        catch (Exception ex) {
            throw new AssertionError(path, ex);
        }
    }

    private static String read(String path) {
        try {
            return Files.readString(ROOT.resolve(path));
        }
        catch (IOException ex) {
            throw new AssertionError(path, ex);
        }
    }

}
