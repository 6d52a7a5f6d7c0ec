package io.eventqueue.api;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.function.ServerRequest;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * The body of a request: a JSON object of limited size, its fields each read with their
 * check. Reads the stream itself, so that the limit comes before the parser and nothing
 * the application configured for its own JSON matters here.
 */
final class JsonBody {

    private final JsonNode fields;

    private JsonBody(JsonNode fields) {
        this.fields = fields;
    }

    static JsonBody of(ServerRequest request, int maxBytes) {
        HttpServletRequest servletRequest = request.servletRequest();
        requireJson(servletRequest.getContentType());
        if (servletRequest.getContentLengthLong() > maxBytes) {
            throw tooLarge(maxBytes);
        }
        try {
            byte[] bytes = servletRequest.getInputStream().readNBytes(maxBytes + 1);
            if (bytes.length > maxBytes) {
                throw tooLarge(maxBytes);
            }
            JsonNode tree = ApiJson.MAPPER.readTree(bytes);
            if (!tree.isObject()) {
                throw ApiException.badRequest("The body is not a JSON object");
            }
            return new JsonBody(tree);
        }
        catch (JacksonException e) {
            throw ApiException.badRequest("The body is not JSON: " + e.getOriginalMessage());
        }
        catch (IOException e) {
            throw ApiException.badRequest("The body could not be read to its end");
        }
    }

    String requiredLine(String name, int maxLength) {
        return Text.line(name, text(name).orElseThrow(() -> ApiException.badRequest(name + " is missing")), maxLength);
    }

    Optional<String> lines(String name) {
        return text(name).map(value -> Text.lines(name, value));
    }

    Optional<UUID> uuid(String name) {
        return text(name).map(value -> Text.uuid(name, value));
    }

    /** A string of comma-separated tags, or an array of tags. */
    Set<String> requiredTags(String name) {
        JsonNode node = fields.path(name);
        List<String> values = node.isArray()
                ? node.valueStream().map(tag -> string(name, tag, "a string, or an array of strings")).toList()
                : text(name).stream().toList();
        Set<String> tags = Text.tags(name, values);
        if (tags.isEmpty()) {
            throw ApiException.badRequest(name + " is missing: give one tag or several, separated by commas");
        }
        return tags;
    }

    @Nullable Integer integer(String name, int from) {
        return present(name)
            .map(node -> number(name, node, value -> value.canConvertToInt() && value.intValue() >= from, from))
            .map(JsonNode::intValue)
            .orElse(null);
    }

    @Nullable Long longInteger(String name, long from) {
        return present(name)
            .map(node -> number(name, node, value -> value.canConvertToLong() && value.longValue() >= from, from))
            .map(JsonNode::longValue)
            .orElse(null);
    }

    Optional<JsonNode> present(String name) {
        JsonNode node = fields.path(name);
        return node.isMissingNode() || node.isNull() ? Optional.empty() : Optional.of(node);
    }

    private Optional<String> text(String name) {
        return present(name).map(node -> string(name, node, "a string"));
    }

    private static String string(String name, JsonNode node, String expected) {
        if (!node.isString()) {
            throw ApiException.badRequest(name + " is not " + expected);
        }
        return node.stringValue();
    }

    private static JsonNode number(String name, JsonNode node, Predicate<JsonNode> fits, long from) {
        if (!node.isIntegralNumber() || !fits.test(node)) {
            throw ApiException.badRequest(name + " is not a whole number of at least " + from);
        }
        return node;
    }

    private static void requireJson(@Nullable String contentType) {
        if (contentType == null) {
            return;
        }
        try {
            if (MediaType.APPLICATION_JSON.isCompatibleWith(MediaType.parseMediaType(contentType))) {
                return;
            }
        }
        catch (InvalidMediaTypeException e) {
            // Said below: it is not JSON either.
        }
        throw new ApiException(HttpStatus.UNSUPPORTED_MEDIA_TYPE, "Content-Type is not application/json");
    }

    private static ApiException tooLarge(int maxBytes) {
        return ApiException.tooLarge("The body has more than " + maxBytes + " bytes");
    }

}
