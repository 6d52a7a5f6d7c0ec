package io.eventqueue.docs;

import io.eventqueue.testsupport.MarkdownPage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** Reads the YAML that pages show. */
final class ReadmeYaml {

    private ReadmeYaml() {
    }

    /** Configures an application as the README says. */
    static void load(ConfigurableApplicationContext context) {
        read(MarkdownPage.of("README.md").blocks("yaml").getFirst())
            .forEach(context.getEnvironment().getPropertySources()::addFirst);
    }

    static List<PropertySource<?>> read(String yaml) {
        try {
            return new YamlPropertySourceLoader().load("page",
                    new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
        }
        catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

}
