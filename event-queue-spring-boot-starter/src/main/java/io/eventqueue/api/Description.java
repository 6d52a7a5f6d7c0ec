package io.eventqueue.api;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The OpenAPI description, with the paths this application serves. */
final class Description {

    private static final String PATH_IN_FILE = "/events";

    private final ObjectNode description;

    Description(String basePath) {
        this.description = read();
        ObjectNode paths = ApiJson.MAPPER.createObjectNode();
        for (Map.Entry<String, JsonNode> path : description.path("paths").properties()) {
            paths.set(basePath + path.getKey().substring(PATH_IN_FILE.length()), path.getValue());
        }
        description.set("paths", paths);
    }

    ServerResponse get(ServerRequest request) {
        String prefix = new Query(request).prefix();
        ObjectNode answer = ApiJson.MAPPER.createObjectNode();
        answer.setAll(description);
        answer.putArray("servers").addObject().put("url", prefix.isEmpty() ? "/" : prefix);
        return ApiJson.ok(answer);
    }

    private static ObjectNode read() {
        try (InputStream file = Objects.requireNonNull(Description.class.getResourceAsStream("openapi.json"))) {
            return (ObjectNode) ApiJson.MAPPER.readTree(file);
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

}
