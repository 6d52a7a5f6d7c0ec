package io.eventqueue.api;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Speaks to the API as any HTTP client does, and compares every answer with the API's own
 * description.
 */
final class ApiClient {

    private static final HttpClient HTTP = HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(Duration.ofSeconds(30))
        .build();

    static final JsonMapper JSON = ApiJson.MAPPER;

    private final String url;

    private final @Nullable String authorization;

    private final DescriptionCheck check;

    ApiClient(String url, @Nullable String authorization) {
        this(url, authorization, new DescriptionCheck());
    }

    private ApiClient(String url, @Nullable String authorization, DescriptionCheck check) {
        this.url = url;
        this.authorization = authorization;
        this.check = check;
    }

    ApiClient as(@Nullable String otherAuthorization) {
        return new ApiClient(url, otherAuthorization, check);
    }

    DescriptionCheck check() {
        return check;
    }

    record Answer(int status, String body, java.net.http.HttpHeaders headers) {

        JsonNode json() {
            return JSON.readTree(body);
        }

        String field(String name) {
            return json().path(name).asString("");
        }

        String attempt() {
            return headers.firstValue("Event-Attempt").orElse("");
        }

    }

    Answer get(String path) {
        return getAsync(path).join();
    }

    CompletableFuture<Answer> getAsync(String path) {
        return send("GET", path, "", request(path).GET().build());
    }

    Answer post(String path, String json, String... headers) {
        HttpRequest.Builder request = request(path).header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send("POST", path, json, request.build()).join();
    }

    /** For bodies that are refused. */
    Answer send(String method, String path, HttpRequest.Builder request) {
        return send(method, path, "", request.build()).join();
    }

    /** For answers that are not the API's own. */
    Answer sendUnchecked(String method, String path) {
        HttpRequest request = request(path).method(method, BodyPublishers.noBody()).build();
        return HTTP.sendAsync(request, BodyHandlers.ofString()).thenApply(ApiClient::answer).join();
    }

    HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path)).timeout(Duration.ofSeconds(110));
        return authorization == null ? request : request.header("Authorization", authorization);
    }

    private CompletableFuture<Answer> send(String method, String path, String body, HttpRequest request) {
        return HTTP.sendAsync(request, BodyHandlers.ofString()).thenApply(response -> {
            Answer answer = answer(response);
            check.exchange(method, path, body, answer);
            return answer;
        });
    }

    private static Answer answer(HttpResponse<String> response) {
        return new Answer(response.statusCode(), response.body(), response.headers());
    }

    static String json(Map<String, ?> body) {
        return JSON.writeValueAsString(body);
    }

    static String report(String worker) {
        return json(Map.of("worker_id", worker, "execution_time_ms", 1250, "status_code", 200));
    }

    static String failure(String worker, String error) {
        return json(Map.of("worker_id", worker, "execution_time_ms", 5000, "status_code", 500, "error_message", error));
    }

    static String event(String title, String tags) {
        return json(Map.of("title", title, "tags", tags, "payload", Map.of("n", title)));
    }

}
