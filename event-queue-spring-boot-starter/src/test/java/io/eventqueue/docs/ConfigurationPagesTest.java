package io.eventqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.autoconfigure.EventQueueProperties;
import io.eventqueue.testsupport.MarkdownPage;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.PropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What pages say about configuration is what can be configured. */
class ConfigurationPagesTest {

    private static final String METADATA = "/META-INF/spring-configuration-metadata.json";

    static Stream<MarkdownPage> pages() {
        return MarkdownPage.all();
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyYamlSnippetIsAccepted(MarkdownPage page) {
        assertThat(page.blocks("yaml")).allSatisfy(yaml -> {
            List<PropertySource<?>> sources = ReadmeYaml.read(yaml);
            assertThat(sources).isNotEmpty();
            new Binder(ConfigurationPropertySources.from(sources)).bindOrCreate("event-queue",
                    Bindable.of(EventQueueProperties.class), new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
        });
    }

    /** A new property is documented when its row is copied from the message. */
    @Test
    void everyPropertyIsInTheReferenceAsInTheMetadata() throws IOException {
        List<String> documented = MarkdownPage.of("docs/properties.md")
            .text()
            .lines()
            .filter(line -> line.startsWith("| `event-queue.") || line.startsWith("| `management.endpoint.eventqueue."))
            .toList();
        assertThat(documented).containsExactlyInAnyOrderElementsOf(expectedRows());
    }

    private static List<String> expectedRows() throws IOException {
        try (InputStream metadata = Objects.requireNonNull(EventQueueProperties.class.getResourceAsStream(METADATA))) {
            return JsonMapper.builder()
                .build()
                .readTree(metadata)
                .get("properties")
                .valueStream()
                .map(ConfigurationPagesTest::row)
                .toList();
        }
    }

    private static String row(JsonNode property) {
        String value = Optional.ofNullable(property.get("defaultValue"))
            .map(JsonNode::asString)
            .map(text -> "`" + text + "`")
            .orElse("");
        return "| `%s` | %s | %s |".formatted(property.get("name").asString(), value,
                property.get("description").asString());
    }

}
