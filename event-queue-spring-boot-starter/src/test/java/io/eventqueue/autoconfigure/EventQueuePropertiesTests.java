package io.eventqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.RetryPolicy;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class EventQueuePropertiesTests {

    private static EventQueueProperties bind(PropertySource<?> source) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().forEach(each -> environment.getPropertySources().remove(each.getName()));
        environment.getPropertySources().addFirst(source);
        ConfigurationPropertySources.attach(environment);
        return Binder.get(environment).bindOrCreate("event-queue", EventQueueProperties.class);
    }

    private static EventQueueProperties bind(Map<String, Object> properties) {
        return bind(new MapPropertySource("test", properties));
    }

    @Test
    void defaults() {
        EventQueueProperties properties = bind(Map.of());
        assertThat(properties.fanoutPollDelay()).isEqualTo(Duration.ofSeconds(1));
        assertThat(properties.handlingPollDelay()).isEqualTo(Duration.ofSeconds(1));
        assertThat(properties.fanoutBatchSize()).isEqualTo(200);
        assertThat(properties.handlingBatchSize()).isEqualTo(100);
        assertThat(properties.handlingMaxBackoffCap()).isEqualTo(Duration.ofMinutes(5));
        assertThat(properties.handlingRetentionWindow()).isEqualTo(Duration.ofDays(7));
        assertThat(properties.abandonmentTimeout()).isEqualTo(Duration.ofMinutes(1));
        assertThat(properties.shutdownTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(properties.maxPayloadSize()).isEqualTo(DataSize.ofMegabytes(1));
        assertThat(properties.logRetention()).isEqualTo(Duration.ofDays(30));
        assertThat(properties.notificationRetention()).isEqualTo(Duration.ofDays(7));
        assertThat(properties.handling().enabled()).isFalse();
        assertThat(properties.handling().concurrency()).isEqualTo(64);
        assertThat(properties.handling().initialBackoff()).isEqualTo(Duration.ofSeconds(30));
        assertThat(properties.schema().migrate()).isTrue();
        assertThat(properties.publish().requireTransaction()).isFalse();
        assertThat(properties.retryPolicy().orElse(RetryPolicy.DEFAULT)).isEqualTo(RetryPolicy.DEFAULT);
        assertThat(properties.datasource()).isNull();
        assertThat(properties.shards()).isEmpty();
        assertThat(properties.retiredHandlers()).isEmpty();
        assertThat(properties.handlers()).isEmpty();
    }

    @Test
    void fanoutRunsWhereHandlingRunsUnlessToldOtherwise() {
        assertThat(bind(Map.of()).runsFanout()).isFalse();
        assertThat(bind(Map.of("event-queue.handling.enabled", true)).runsFanout()).isTrue();
        assertThat(bind(Map.of("event-queue.fanout.enabled", true)).runsFanout()).isTrue();
        assertThat(bind(Map.of("event-queue.handling.enabled", true, "event-queue.fanout.enabled", false)).runsFanout())
            .isFalse();
    }

    @Test
    void kebabAndCamelCaseAreTheSame() {
        assertThat(bind(Map.of("event-queue.fanout-poll-delay", "250ms")).fanoutPollDelay())
            .isEqualTo(Duration.ofMillis(250));
        EventQueueProperties camel = bind(Map.of("eventQueue.fanoutPollDelay", "250ms",
                "eventQueue.publish.requireTransaction", "true", "eventQueue.handlers.mail.maxAttempts", "3"));
        assertThat(camel.fanoutPollDelay()).isEqualTo(Duration.ofMillis(250));
        assertThat(camel.publish().requireTransaction()).isTrue();
        assertThat(camel.handlers().get("mail").maxAttempts()).isEqualTo(3);
    }

    @Test
    void readsYaml() throws Exception {
        String yaml = """
                event-queue:
                  handling-retention-window: 14d
                  max-payload-size: 512KB
                  shards: [one, two]
                  retired-handlers:
                    - old-mail
                  handling:
                    enabled: true
                    max-attempts: 5
                    unrecoverable: java.lang.IllegalArgumentException
                  handlers:
                    send-mail:
                      initial-backoff: 10s
                    "[order.index]":
                      timeout: 2m
                """;
        EventQueueProperties properties = bind(
                new YamlPropertySourceLoader().load("test", new ByteArrayResource(yaml.getBytes())).getFirst());
        assertThat(properties.handlingRetentionWindow()).isEqualTo(Duration.ofDays(14));
        assertThat(properties.maxPayloadSize()).isEqualTo(DataSize.ofKilobytes(512));
        assertThat(properties.shards()).containsExactly("one", "two");
        assertThat(properties.retiredHandlers()).containsExactly("old-mail");
        assertThat(properties.handling().enabled()).isTrue();
        assertThat(properties.handling().maxAttempts()).isEqualTo(5);
        assertThat(properties.retryPolicy().unrecoverable()).containsExactly(IllegalArgumentException.class);
        assertThat(properties.handlers().get("send-mail").initialBackoff()).isEqualTo(Duration.ofSeconds(10));
        assertThat(properties.handlers().get("order.index").timeout()).isEqualTo(Duration.ofMinutes(2));
    }

    @Test
    void readsEnvironmentVariables() {
        EventQueueProperties properties = bind(
                new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        Map.of("EVENTQUEUE_FANOUTPOLLDELAY", "2s", "EVENT_QUEUE_HANDLING_POLL_DELAY", "3s",
                                "EVENTQUEUE_HANDLING_ENABLED", "true", "EVENTQUEUE_SHARDS_0", "one",
                                "EVENTQUEUE_HANDLERS_MAIL_MAXATTEMPTS", "4")));
        assertThat(properties.fanoutPollDelay()).isEqualTo(Duration.ofSeconds(2));
        assertThat(properties.handlingPollDelay()).isEqualTo(Duration.ofSeconds(3));
        assertThat(properties.handling().enabled()).isTrue();
        assertThat(properties.shards()).containsExactly("one");
        assertThat(properties.handlers().get("mail").maxAttempts()).isEqualTo(4);
    }

    @Test
    void everyPropertyIsDescribedAndHasItsDefaultInTheMetadata() throws Exception {
        Map<String, JsonNode> described = new TreeMap<>();
        try (InputStream metadata = getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            new JsonMapper().readTree(metadata)
                .get("properties")
                .forEach(property -> described.put(property.get("name").asString(), property));
        }
        for (String name : PropertyNames.of(EventQueueProperties.class, "event-queue")) {
            JsonNode property = described.get(name.contains(".*") ? name.substring(0, name.indexOf(".*")) : name);
            assertThat(property).as(name).isNotNull();
            String description = property.path("description").asString("");
            assertThat(description).as("description of " + name).endsWith(".");
            if (!property.has("defaultValue") && !property.get("type").asString().startsWith("java.util.")) {
                assertThat(description).as("what holds without " + name).contains("when not set");
            }
        }
        assertThat(described.get("event-queue.handling-retention-window").get("defaultValue").asString())
            .isEqualTo("7d");
        assertThat(described.get("event-queue.handling.enabled").get("defaultValue").asBoolean()).isFalse();
    }

}
