package io.eventqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code java -jar sample-app.jar} starts; run after the jar was packaged. */
class PackagedJarIT {

    @TempDir
    private Path directory;

    @Test
    void startsWithNothingButJava() {
        Path jar = Path.of("target/sample-app.jar").toAbsolutePath();
        try (ShopProcess shop = ShopProcess.startJar(jar, directory, "--shop.bank-failure-rate=0")) {
            long order = shop.client().place("tea");
            await().untilAsserted(() -> assertThat(shop.client().states(order)).hasSize(3).containsOnly("SUCCEEDED"));
            assertThat(shop.client().get("/").body()).contains("<title>event-queue: a shop</title>");
            assertThat(shop.client().json("/actuator/health").get("status").asString()).isEqualTo("UP");
            assertThat(directory.resolve("sample-data/orders.mv.db")).exists();
        }
    }

}
