plugins {
    `java-library`
}

dependencies {
    api(platform(libs.spring.boot.dependencies))
    testImplementation(platform(libs.embedded.postgres.binaries.bom))

    api(project(":event-queue-spring-boot-starter"))
    api(libs.spring.boot.starter.webmvc)
    api(libs.spring.boot.starter.actuator)
    api(libs.spring.boot.starter.flyway)
    api(libs.spring.boot.starter.kafka)
    runtimeOnly(libs.h2)
    runtimeOnly(libs.postgresql)

    testImplementation(project(path = ":event-queue-core", configuration = "testJar"))
    testImplementation(libs.embedded.postgres)
    testImplementation(libs.spring.boot.starter.test)
    testImplementation(libs.spring.kafka.test)
}
