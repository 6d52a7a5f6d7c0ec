package io.eventqueue.autoconfigure.kafka;

import io.eventqueue.EventTypes;
import io.eventqueue.InvalidEventException;
import io.eventqueue.kafka.KafkaRoute;
import io.eventqueue.kafka.PublishToKafka;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;
import tools.jackson.core.JsonPointer;

/** Finds {@link PublishToKafka} on the classes below the application's packages. */
final class AnnotatedRoutes {

    private final @Nullable ClassLoader classLoader;

    AnnotatedRoutes(@Nullable ClassLoader classLoader) {
        this.classLoader = classLoader;
    }

    List<KafkaRoute> in(Collection<String> packages) {
        ClassPathScanningCandidateComponentProvider scanner = new ClassPathScanningCandidateComponentProvider(false);
        scanner.addIncludeFilter(new AnnotationTypeFilter(PublishToKafka.class));
        List<KafkaRoute> routes = new ArrayList<>();
        for (String name : packages) {
            for (BeanDefinition candidate : scanner.findCandidateComponents(name)) {
                routes
                    .add(route(ClassUtils.resolveClassName(String.valueOf(candidate.getBeanClassName()), classLoader)));
            }
        }
        return routes;
    }

    private static KafkaRoute route(Class<?> eventClass) {
        PublishToKafka annotation = eventClass.getAnnotation(PublishToKafka.class);
        return new KafkaRoute(annotation.topic(), Set.of(EventTypes.nameOf(eventClass)), key(annotation, eventClass),
                headers(annotation, eventClass), Set.of());
    }

    private static @Nullable JsonPointer key(PublishToKafka annotation, Class<?> eventClass) {
        if (annotation.key().isEmpty()) {
            return null;
        }
        if (!annotation.key().startsWith("/")) {
            throw new InvalidEventException("@PublishToKafka of " + eventClass.getName() + " has the key '"
                    + annotation.key() + "'. Write a JSON pointer, for example key = \"/orderId\".");
        }
        return JsonPointer.compile(annotation.key());
    }

    private static Map<String, String> headers(PublishToKafka annotation, Class<?> eventClass) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (String header : annotation.headers()) {
            int equals = header.indexOf('=');
            if (equals < 1) {
                throw new InvalidEventException("@PublishToKafka of " + eventClass.getName() + " has the header '"
                        + header + "'. Write name and value, for example headers = \"source=shop\".");
            }
            headers.put(header.substring(0, equals).strip(), header.substring(equals + 1).strip());
        }
        return headers;
    }

}
