plugins {
    `java-library`
}

dependencies {
    api(platform(libs.spring.boot.dependencies))
    testImplementation(platform(libs.embedded.postgres.binaries.bom))

    api(project(":event-queue-core"))
    api(libs.spring.boot.autoconfigure)
    api(libs.spring.boot.starter.jdbc)

    compileOnly(libs.spring.boot.kafka)

    annotationProcessor(platform(libs.spring.boot.dependencies))
    annotationProcessor(libs.spring.boot.configuration.processor)

    testImplementation(project(path = ":event-queue-core", configuration = "testJar"))
    testImplementation(libs.h2)
    testImplementation(libs.embedded.postgres)
    testImplementation(libs.spring.boot.starter.test)
    testImplementation(libs.spring.kafka.test)
}
