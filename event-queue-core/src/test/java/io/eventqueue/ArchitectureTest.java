package io.eventqueue;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The packages follow the way of an event, and their dependencies point down
 * {@link #PACKAGES} or to the public API in {@code io.eventqueue}, which may use all of
 * them.
 */
@AnalyzeClasses(packages = "io.eventqueue", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final List<String> PACKAGES = List.of("outbox", "fanout", "handling", "log", "jdbc", "loop");

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);

    private static final Pattern DATABASE_NAME = Pattern.compile("postgres|mariadb|mysql|\\bh2\\b|\\bPG[A-Z]",
            Pattern.CASE_INSENSITIVE);

    @ArchTest
    static final ArchRule noCycles = slices().matching("io.eventqueue.(*)..")
        .should()
        .beFreeOfCycles()
        .allowEmptyShould(true);

    @ArchTest
    static final ArchRule onlyJdbcUsesDrivers = noClasses().that()
        .resideOutsideOfPackage("io.eventqueue.jdbc..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.postgresql..", "org.mariadb..", "com.mysql..", "org.h2..");

    @ArchTest
    static void dependenciesPointDownTheList(JavaClasses classes) {
        for (int i = 1; i < PACKAGES.size(); i++) {
            String[] above = PACKAGES.subList(0, i).stream().map(ArchitectureTest::matcher).toArray(String[]::new);
            noClasses().that()
                .resideInAPackage(matcher(PACKAGES.get(i)))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(above)
                .allowEmptyShould(true)
                .check(classes);
        }
    }

    /** Otherwise a new package would be under no rule at all. */
    @ArchTest
    static void everyPackageIsInTheList(JavaClasses classes) {
        assertThat(classes.stream().map(JavaClass::getPackageName).distinct())
            .allMatch(name -> name.equals("io.eventqueue") || PACKAGES.contains(name.split("\\.")[2]));
    }

    /**
     * Names hide in strings, which class files do not show as dependencies. Comments may
     * say what they like.
     */
    @Test
    void onlyJdbcKnowsTheNameOfADatabase() throws IOException {
        Path sources = Path.of("src/main/java/io/eventqueue");
        try (Stream<Path> files = Files.walk(sources)) {
            assertThat(files.filter(file -> file.toString().endsWith(".java"))
                .filter(file -> !file.startsWith(sources.resolve("jdbc")))
                .filter(ArchitectureTest::namesADatabase)).as("name a database outside of io.eventqueue.jdbc")
                .isEmpty();
        }
    }

    private static boolean namesADatabase(Path file) {
        try {
            String code = COMMENT.matcher(Files.readString(file)).replaceAll("");
            return DATABASE_NAME.matcher(code).find();
        }
        catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }

    private static String matcher(String name) {
        return "io.eventqueue." + name + "..";
    }

}
