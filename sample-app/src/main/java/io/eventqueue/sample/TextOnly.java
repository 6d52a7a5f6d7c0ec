package io.eventqueue.sample;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;

/**
 * A customer called 5 is a mistake. For single fields, because Actuator relies on
 * {@code true} becoming text.
 */
class TextOnly extends ValueDeserializer<String> {

    @Override
    public String deserialize(JsonParser parser, DeserializationContext context) {
        return parser.hasToken(JsonToken.VALUE_STRING) ? parser.getString()
                : (String) context.handleUnexpectedToken(String.class, parser);
    }

}
