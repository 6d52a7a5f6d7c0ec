package io.eventqueue.autoconfigure;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.origin.Origin;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.util.unit.DataSize;

/**
 * Says what to write instead of a property under {@code event-queue} that does not exist
 * or whose value cannot be read. First in order: Spring Boot's own analyzers say what is
 * wrong with it, but not what would be right.
 */
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
final class UnreadablePropertyFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("event-queue");

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
        UnboundConfigurationPropertiesException unknown = findCause(cause,
                UnboundConfigurationPropertiesException.class);
        if (unknown != null) {
            List<ConfigurationProperty> own = unknown.getUnboundProperties()
                .stream()
                .filter(property -> ROOT.isAncestorOf(property.getName()))
                .toList();
            return own.isEmpty() ? null : unknown(own, cause);
        }
        BindException innermost = innermost(cause);
        ConfigurationProperty property = innermost.getProperty();
        return property == null || !ROOT.isAncestorOf(property.getName()) ? null
                : unreadable(property, innermost.getTarget().getType().resolve(Object.class), cause);
    }

    private static BindException innermost(BindException exception) {
        BindException found = exception;
        for (Throwable next = exception.getCause(); next != null; next = next.getCause()) {
            if (next instanceof BindException inner) {
                found = inner;
            }
        }
        return found;
    }

    private static FailureAnalysis unknown(Collection<ConfigurationProperty> properties, BindException cause) {
        List<String> known = PropertyNames.of(EventQueueProperties.class, ROOT.toString());
        String description = properties.stream()
            .map(property -> property.getName() + " does not exist" + at(property.getOrigin()))
            .collect(Collectors.joining("\n"));
        String action = properties.stream()
            .map(property -> PropertyNames.nearest(property.getName(), known)
                .map(nearest -> "Write " + nearest + " instead of " + property.getName() + ".")
                .orElse("Remove " + property.getName() + "."))
            .collect(Collectors.joining("\n"));
        return new FailureAnalysis(description, action, cause);
    }

    private static FailureAnalysis unreadable(ConfigurationProperty property, Class<?> type, BindException cause) {
        return new FailureAnalysis(
                property.getName() + " is \"" + property.getValue() + "\"" + at(property.getOrigin())
                        + ", which cannot be read as " + type.getSimpleName(),
                "For " + property.getName() + ", write " + example(type) + ".", cause);
    }

    private static String at(@Nullable Origin origin) {
        return origin == null ? "" : " (" + origin + ")";
    }

    private static String example(Class<?> type) {
        if (type == Duration.class) {
            return "a duration like 500ms, 30s, 5m or 7d";
        }
        if (type == DataSize.class) {
            return "a size like 1MB or 512KB";
        }
        if (type == Boolean.class || type == boolean.class) {
            return "true or false";
        }
        if (type == Integer.class || type == int.class) {
            return "a whole number";
        }
        if (type == Class.class) {
            return "the full name of a class, like java.lang.IllegalArgumentException";
        }
        return "a " + type.getSimpleName();
    }

}
