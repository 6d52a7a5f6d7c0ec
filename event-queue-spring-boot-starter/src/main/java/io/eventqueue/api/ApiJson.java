package io.eventqueue.api;

import java.util.function.Consumer;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.function.ServerResponse;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON as the API speaks it, whatever the application's own mapper and converters do.
 * Numbers in payloads keep every digit.
 */
final class ApiJson {

    static final JsonMapper MAPPER = JsonMapper.builder()
        .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
        .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
        .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
        .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
        .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .build();

    private ApiJson() {
    }

    /** What is wrong, as every error answer says it. */
    record Problem(String error) {
    }

    /** The answer to the failure that used up the last attempt. */
    record RetriesExceeded(String error, int retryCount, int maxRetries) {
    }

    static ServerResponse problem(HttpStatusCode status, String message) {
        return answer(status, new Problem(message));
    }

    static ServerResponse ok(Object body) {
        return answer(HttpStatus.OK, body);
    }

    static ServerResponse answer(HttpStatusCode status, Object body) {
        return answer(status, body, headers -> {
        });
    }

    /** Written here and now: what cannot be written fails before the answer starts. */
    static ServerResponse answer(HttpStatusCode status, Object body, Consumer<HttpHeaders> headers) {
        byte[] json = MAPPER.writeValueAsBytes(body);
        return ServerResponse.status(status)
            .contentType(MediaType.APPLICATION_JSON)
            .contentLength(json.length)
            .cacheControl(CacheControl.noStore())
            .headers(headers)
            .build((request, response) -> {
                response.getOutputStream().write(json);
                return null;
            });
    }

}
