plugins {
    `java-library`
    application
}

dependencies {
    api(platform(libs.spring.boot.dependencies))
    api(platform(libs.spring.modulith.bom))
    api(platform(libs.embedded.postgres.binaries.bom))

    api(project(":event-queue-core"))
    api(libs.postgresql)
    api(libs.hikaricp)
    api(libs.embedded.postgres)
    runtimeOnly(libs.embedded.postgres.binaries.linux.arm64v8)
    runtimeOnly(libs.embedded.postgres.binaries.darwin.arm64v8)
    api(libs.spring.boot.starter.jdbc)
    api(libs.spring.boot.starter.jackson)
    api(libs.jspecify)

    api(libs.db.scheduler)
    api(libs.transactionoutbox.core)
    api(libs.jobrunr)
    api(libs.namastack.outbox.starter.jdbc)
    api(libs.spring.modulith.starter.jdbc)
}

// transaction-outbox 4.2 needs javax.validation; Spring Boot's BOM would lift both to the jakarta line.
configurations.configureEach {
    resolutionStrategy.eachDependency {
        when (requested.name) {
            "hibernate-validator" -> useVersion("6.2.1.Final")
            "jakarta.validation-api" -> useVersion("2.0.2")
        }
    }
}

application {
    mainClass.set("io.eventqueue.benchmarks.BenchmarkRun")
}
