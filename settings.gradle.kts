rootProject.name = "event-queue"

dependencyResolutionManagement {
    repositories {
        mavenCentral()
    }
}

include("event-queue-core")
include("event-queue-spring-boot-starter")
include("sample-app")

// As Maven's profile "benchmarks": gradle -Pbenchmarks ...
if (providers.gradleProperty("benchmarks").isPresent) {
    include("benchmarks")
}
