package io.eventqueue.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.MarkdownPage;
import io.eventqueue.testsupport.Programs;
import io.eventqueue.testsupport.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;
import tools.jackson.databind.JsonNode;

/** The workers of {@code docs/worker-api.md}, run as they stand there. */
class WorkerLoopsPageTest {

    private static final MarkdownPage PAGE = MarkdownPage.of("docs/worker-api.md");

    private final FreshDatabase database = TestDatabase.H2.create(1);

    /** One for each, as a worker that was killed while it waited still waits. */
    private final ApiServer server = ApiServer.startWithToken(database, ApiServer.Plain.class);

    @TempDir
    private Path directory;

    @AfterEach
    void stop() {
        server.close();
        database.close();
    }

    @Test
    void python() throws Exception {
        Programs.require("python3");
        runScript("python3", PAGE.blocks("python").getFirst());
    }

    @Test
    void shell() throws Exception {
        Programs.require("sh", "curl", "jq", "awk");
        runScript("sh", PAGE.blocks("sh").getFirst());
    }

    @Test
    void java() {
        Thread worker = Thread.ofVirtual().start(new JavaWorker(server.url())::workUntilInterrupted);
        try {
            assertWorkIsDone();
        }
        finally {
            worker.interrupt();
        }
    }

    private void runScript(String interpreter, String source) throws IOException, InterruptedException {
        Path script = Files.writeString(directory.resolve("worker"), source);
        ProcessBuilder builder = new ProcessBuilder(interpreter, script.toString()).redirectErrorStream(true)
            .redirectOutput(directory.resolve("output").toFile());
        builder.environment().put("EVENTS_URL", server.url() + "/events");
        builder.environment().put("EVENTS_TOKEN", ApiServer.TOKEN);
        Process process = builder.start();
        try {
            assertWorkIsDone();
            assertThat(process.isAlive()).isTrue();
        }
        finally {
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
            process.waitFor();
        }
    }

    /** One event that works, and one whose payload has no address. */
    private void assertWorkIsDone() {
        ApiClient api = server.client();
        String good = post(api, Map.of("email", "ada@example.com"));
        String bad = post(api, Map.of("phone", "7"));
        await().atMost(Duration.ofSeconds(120)).untilAsserted(() -> {
            assertThat(api.get("/events/" + good).field("status")).isEqualTo("COMPLETED");
            assertThat(api.get("/events/" + bad).field("next_retry_at")).isNotEmpty();
        });
        JsonNode failure = api.get("/events/" + bad + "?include_logs=true").json().path("logs").path(1);
        assertThat(failure.path("status_code").intValue()).isEqualTo(500);
        assertThat(failure.path("worker_id").asString()).contains(":");
    }

    private static String post(ApiClient api, Map<String, String> payload) {
        return api.post("/events", ApiClient.json(Map.of("title", "mail", "tags", "email", "payload", payload)))
            .field("id");
    }

    /** As the page shows it. */
    static final class JavaWorker {

        private final RestClient events;

        private final String worker = "test:" + ProcessHandle.current().pid();

        JavaWorker(String url) {
            this.events = RestClient.builder()
                .baseUrl(url + "/events")
                .defaultHeader("Authorization", "Bearer " + ApiServer.TOKEN)
                .build();
        }

        void workUntilInterrupted() {
            while (!Thread.currentThread().isInterrupted()) {
                ResponseEntity<JsonNode> picked = subscribe();
                JsonNode event = picked.getBody();
                if (event == null) {
                    continue;
                }
                Map<String, Object> report = new HashMap<>(Map.of("worker_id", worker, "status_code", 200));
                String outcome = "complete";
                try {
                    work(event.get("payload"));
                }
                catch (RuntimeException e) {
                    outcome = "fail";
                    report.putAll(Map.of("status_code", 500, "error_message", e.toString()));
                }
                report(event.get("id").asString(), outcome, report, picked.getHeaders().getFirst("Event-Attempt"));
            }
        }

        private ResponseEntity<JsonNode> subscribe() {
            return events.get()
                .uri("/subscribe?tags={tags}&worker_id={worker}&wait=20", "email", worker)
                .retrieve()
                .toEntity(JsonNode.class);
        }

        private void report(String id, String outcome, Map<String, Object> report, String attempt) {
            events.post()
                .uri("/{id}/{outcome}", id, outcome)
                .header("Event-Attempt", attempt)
                .contentType(MediaType.APPLICATION_JSON)
                .body(report)
                .retrieve()
                .onStatus(HttpStatusCode::is4xxClientError, (request, refused) -> log(refused.getStatusCode()))
                .toBodilessEntity();
        }

        private static void work(JsonNode payload) {
            if (!payload.has("email")) {
                throw new IllegalArgumentException("There is no address in " + payload);
            }
        }

        private static void log(HttpStatusCode refused) {
            System.out.println("The event is no longer ours, or FAILED: " + refused);
        }

    }

}
