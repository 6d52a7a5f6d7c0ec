plugins {
    `java-library`
}

dependencies {
    api(platform(libs.spring.boot.dependencies))

    api(project(":event-queue-spring-boot-starter"))
    runtimeOnly(libs.h2)
}
