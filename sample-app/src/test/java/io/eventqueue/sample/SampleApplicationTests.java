package io.eventqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.beans.factory.annotation.Autowired;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = "spring.datasource.url=jdbc:h2:mem:sample;DB_CLOSE_DELAY=-1")
class SampleApplicationTests {

    private final HttpClient http = HttpClient.newHttpClient();

    @Autowired
    private Environment environment;

    @Test
    void anOrderReachesAllThreeHandlers() throws Exception {
        HttpResponse<String> placed = post("{\"customer\":\"Ada\",\"item\":\"tea\",\"quantity\":2}");
        assertThat(placed.statusCode()).isEqualTo(201);
        String order = placed.headers().firstValue("Location").orElseThrow();
        await().atMost(Duration.ofSeconds(20))
            .untilAsserted(() -> assertThat(get(order).body().split("SUCCEEDED", -1)).hasSize(4));
        assertThat(get(order).body()).contains("confirmation-mail", "search-index", "payment");
    }

    @Test
    void badInputIsRefusedWithAReason() throws Exception {
        HttpResponse<String> refused = post("{\"customer\":\"Ada\",\"item\":\"tea\",\"quantity\":0}");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("quantity is 0");
        assertThat(post("nonsense").statusCode()).isEqualTo(400);
        assertThat(get("/orders/999").statusCode()).isEqualTo(404);
    }

    private HttpResponse<String> post(String body) throws Exception {
        return http.send(HttpRequest.newBuilder(uri("/orders"))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws Exception {
        return http.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
    }

    private URI uri(String path) {
        return URI.create("http://localhost:" + environment.getProperty("local.server.port") + path);
    }

}
