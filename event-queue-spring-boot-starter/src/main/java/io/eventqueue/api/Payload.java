package io.eventqueue.api;

import java.math.BigDecimal;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.util.RawValue;

/**
 * The payload of a posted event. Refuses what some database cannot store, and numbers
 * that are short to write and long to store, such as {@code 1e100000}.
 */
final class Payload {

    private static final int LARGEST_EXPONENT = 400;

    private Payload() {
    }

    static RawValue of(JsonNode payload) {
        check(payload);
        return new RawValue(ApiJson.MAPPER.writeValueAsString(payload));
    }

    private static void check(JsonNode node) {
        if (node.isString()) {
            Text.lines("payload", node.stringValue());
        }
        else if (node.isNumber() && !node.isIntegralNumber()) {
            BigDecimal number = node.decimalValue();
            if (Math.abs((long) number.scale()) > LARGEST_EXPONENT) {
                throw ApiException.badRequest("payload has a number beyond 1e" + LARGEST_EXPONENT
                        + " or with more decimal places: write it as a string");
            }
        }
        else if (node.isObject()) {
            for (Map.Entry<String, JsonNode> property : node.properties()) {
                Text.lines("payload", property.getKey());
                check(property.getValue());
            }
        }
        else if (node.isArray()) {
            node.forEach(Payload::check);
        }
    }

}
