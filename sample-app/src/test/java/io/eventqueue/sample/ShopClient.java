package io.eventqueue.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Talks to the shop as anybody would: over HTTP. */
final class ShopClient {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HttpClient http = HttpClient.newHttpClient();

    private final int port;

    ShopClient(int port) {
        this.port = port;
    }

    long place(String item) {
        HttpResponse<String> answer = post(
                "{\"customer\": \"Ada\", \"item\": \"%s\", \"quantity\": 1}".formatted(item));
        if (answer.statusCode() != 201) {
            throw new IllegalStateException(answer.statusCode() + " " + answer.body());
        }
        return JSON.readTree(answer.body()).get("id").asLong();
    }

    JsonNode order(long id) {
        return JSON.readTree(get("/orders/" + id).body());
    }

    JsonNode json(String path) {
        return JSON.readTree(get(path).body());
    }

    /** The states of the order's notifications, by handler name. */
    List<String> states(long id) {
        return order(id).get("notifications")
            .valueStream()
            .map(notification -> notification.get("state").asString())
            .toList();
    }

    JsonNode notification(long id, String handler) {
        return order(id).get("notifications")
            .valueStream()
            .filter(notification -> notification.get("handler").asString().equals(handler))
            .findFirst()
            .orElseThrow();
    }

    HttpResponse<String> post(String body) {
        return post("/orders", body);
    }

    HttpResponse<String> post(String path, String body) {
        return send(HttpRequest.newBuilder(uri(path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body)));
    }

    HttpResponse<String> get(String path) {
        return send(HttpRequest.newBuilder(uri(path)));
    }

    URI uri(String path) {
        return URI.create("http://localhost:" + port + path);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return http.send(request.timeout(Duration.ofSeconds(60)).build(), BodyHandlers.ofString());
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

}
