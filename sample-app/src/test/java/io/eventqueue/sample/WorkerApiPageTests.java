package io.eventqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.testsupport.MarkdownPage;
import io.eventqueue.testsupport.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/** What {@code docs/worker-api.md} shows with the sample, typed into a shell. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = { "spring.datasource.url=jdbc:h2:mem:sample-workers;DB_CLOSE_DELAY=-1",
                "event-queue.api.enabled=true", "event-queue.api.token=secret" })
class WorkerApiPageTests {

    @Test
    void whatThePageShowsWorks(@LocalServerPort int port) throws Exception {
        Programs.require("bash", "curl", "jq");
        String script = MarkdownPage.of("docs/worker-api.md")
            .blocks("bash")
            .getFirst()
            .replace("localhost:8080", "localhost:" + port);
        assertThat(run(script)).contains("\"status\":\"PENDING\"", "\"action\":\"COMPLETED\"",
                "\"status\": \"COMPLETED\"", "\"action\": \"PICKED\"");
    }

    private static String run(String script) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("bash", "-e", "-c", script).redirectErrorStream(true).start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(output).isZero();
            return output;
        }
        finally {
            process.destroy();
        }
    }

}
