plugins {
    `java-library`
}

dependencies {
    api(platform(libs.spring.boot.dependencies))

    api(project(":event-queue-spring-boot-starter"))
    api(libs.spring.boot.starter.webmvc)
    runtimeOnly(libs.h2)

    testImplementation(libs.spring.boot.starter.test)
}
