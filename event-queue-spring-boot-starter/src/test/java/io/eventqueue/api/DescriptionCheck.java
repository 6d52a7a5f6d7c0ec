package io.eventqueue.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Finds the operation of an exchange in the OpenAPI description and validates a body that
 * was accepted, and the answer, against the schemas it gives for them. Remembers which
 * operations it has seen.
 */
final class DescriptionCheck {

    private static final JsonNode DESCRIPTION = read();

    private static final JsonNode NOTHING = DESCRIPTION.path("no such field");

    private static final SchemaRegistry SCHEMAS = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);

    private final Set<String> seen = new ConcurrentSkipListSet<>();

    void exchange(String method, String path, String request, ApiClient.Answer answer) {
        String plain = path.replaceFirst("\\?.*", "");
        JsonNode operation = operation(method, plain);
        if (operation.isMissingNode()) {
            assertThat(answer.status()).as(method + " " + plain + " is not described").isIn(401, 403, 404);
            return;
        }
        JsonNode accepted = operation.path("requestBody").path("content").path("application/json").path("schema");
        if (answer.status() < 300 && !accepted.isMissingNode()) {
            assertThat(schema(accepted).validate(ApiClient.JSON.readTree(request)))
                .as("%s %s was accepted: %s", method, plain, request)
                .isEmpty();
        }
        JsonNode response = operation.path("responses").path(String.valueOf(answer.status()));
        assertThat(response.isMissingNode())
            .as("%s %s answered %s, which is not described: %s", method, plain, answer.status(), answer.body())
            .isFalse();
        JsonNode schema = response.path("content").path("application/json").path("schema");
        if (schema.isMissingNode()) {
            assertThat(answer.body()).as("body of " + answer.status()).isEmpty();
        }
        else {
            assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
            assertThat(schema(schema).validate(answer.json()))
                .as("%s %s %s: %s", method, plain, answer.status(), answer.body())
                .isEmpty();
        }
        seen.add(operation.path("summary").asString() + " " + answer.status());
    }

    /** Whether every operation has been answered with its success. */
    void assertAllOperationsSeen() {
        Set<String> expected = new TreeSet<>();
        for (JsonNode path : DESCRIPTION.path("paths")) {
            for (JsonNode operation : path) {
                String success = operation.path("responses").has("201") ? "201" : "200";
                expected.add(operation.path("summary").asString() + " " + success);
            }
        }
        assertThat(seen).containsAll(expected);
    }

    private static JsonNode operation(String method, String path) {
        for (Map.Entry<String, JsonNode> candidate : DESCRIPTION.path("paths").properties()) {
            if (path.matches(candidate.getKey().replace("{id}", "[^/]+"))) {
                return candidate.getValue().path(method.toLowerCase(java.util.Locale.ROOT));
            }
        }
        return NOTHING;
    }

    private static Schema schema(JsonNode schema) {
        ObjectNode root = ((ObjectNode) schema.deepCopy());
        root.set("components", DESCRIPTION.path("components"));
        return SCHEMAS.getSchema(root);
    }

    private static JsonNode read() {
        try (InputStream file = Objects.requireNonNull(WorkerApi.class.getResourceAsStream("openapi.json"))) {
            return ApiClient.JSON.readTree(file);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

}
