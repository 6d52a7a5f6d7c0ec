// The Maven build is the one that is run and released; this describes the same modules. GradleTwinTest compares the two.
subprojects {
    apply(plugin = "java-library")

    group = "io.eventqueue"
    version = "0.1.0-SNAPSHOT"

    extensions.configure<JavaPluginExtension> {
        toolchain {
            languageVersion.set(JavaLanguageVersion.of(rootProject.libs.versions.java.get().toInt()))
        }
    }

    // As Maven's scope "provided": what is compiled against is there in tests too.
    configurations.named("testImplementation") {
        extendsFrom(configurations.getByName("compileOnly"))
    }

    tasks.withType<JavaCompile>().configureEach {
        options.encoding = "UTF-8"
        options.release.set(rootProject.libs.versions.java.get().toInt())
        options.compilerArgs.addAll(listOf("-parameters", "-Xlint:all,-processing,-serial,-try,-classfile,-path", "-Werror"))
    }

    tasks.withType<Test>().configureEach {
        useJUnitPlatform()
        maxHeapSize = "1g"
        jvmArgs("-XX:+EnableDynamicAgentLoading", "--enable-native-access=ALL-UNNAMED")
    }
}
