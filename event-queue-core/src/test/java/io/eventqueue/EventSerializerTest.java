package io.eventqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;

class EventSerializerTest {

    record Holder(Object content) {
    }

    private final EventSerializer serializer = new EventSerializer(JsonMapper.builder()
        .activateDefaultTyping(BasicPolymorphicTypeValidator.builder().allowIfBaseType(Object.class).build(),
                DefaultTyping.NON_FINAL)
        .build(), 1000);

    @Test
    void aPayloadDoesNotChooseClassesEvenWhenTheApplicationsMapperLetsIt() {
        String payload = serializer.payloadOf(new Holder(Map.of("a", 1)), "Holder");
        assertThat(payload).isEqualTo("{\"content\":{\"a\":1}}");
        Object read = serializer.read("{\"content\":[\"java.util.concurrent.atomic.AtomicLong\",5]}", Holder.class);
        assertThat(((Holder) read).content()).isInstanceOf(java.util.List.class);
        assertThatThrownBy(() -> serializer.read("[\"java.util.HashMap\",{}]", Holder.class))
            .isInstanceOf(JacksonException.class);
    }

    @Test
    void aPayloadAboveTheLimitIsMeasuredInBytes() {
        assertThat(serializer.payloadOf(new Holder("é".repeat(400)), "Holder")).hasSizeLessThan(1000);
        assertThatThrownBy(() -> serializer.payloadOf(new Holder("é".repeat(500)), "Holder"))
            .isInstanceOf(PayloadTooLargeException.class)
            .hasMessageContaining("1014 bytes");
    }

}
