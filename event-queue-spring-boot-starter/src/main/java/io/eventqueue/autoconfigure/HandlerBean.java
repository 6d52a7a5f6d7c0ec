package io.eventqueue.autoconfigure;

import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHandler;
import io.eventqueue.Handler;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerResult;
import io.eventqueue.InvalidHandlerException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * A bean that is a {@link Handler}. It is created early only if its class says something
 * by overriding one of the interface's other methods, or is not known before.
 */
final class HandlerBean {

    private static final Logger log = LoggerFactory.getLogger(EventHandler.class);

    private static final Method HANDLE = ClassUtils.getMethod(Handler.class, "handle", EventEnvelope.class);

    private final ConfigurableListableBeanFactory beans;

    private final String beanName;

    private final Class<?> beanClass;

    private final @Nullable EventHandler annotation;

    HandlerBean(ConfigurableListableBeanFactory beans, String beanName, Class<?> beanClass,
            @Nullable EventHandler annotation) {
        this.beans = beans;
        this.beanName = beanName;
        this.beanClass = beanClass;
        this.annotation = annotation;
    }

    static boolean isHandle(Method method) {
        return method.getName().equals(HANDLE.getName()) && method.getParameterCount() == 1
                && method.getParameterTypes()[0] == EventEnvelope.class;
    }

    HandlerDefinition definition() {
        refuseAsync();
        @Nullable Handler<?> described = describesItself() ? bean() : null;
        String name = name(described);
        Class<?> eventClass = subscribed(eventClass(described));
        HandlerDefinition.Builder builder = HandlerDefinition.builder(name, eventClass, this::handle)
            .aliases(described == null ? Set.of() : described.aliases());
        return (annotation == null ? builder : builder.annotatedWith(annotation)).build();
    }

    private void refuseAsync() {
        Method handle = ClassUtils.getMostSpecificMethod(HANDLE, beanClass);
        if (AnnotatedElementUtils.hasAnnotation(handle, Async.class)
                || AnnotatedElementUtils.hasAnnotation(beanClass, Async.class)) {
            throw new InvalidHandlerException(beanClass.getName() + HandlerMethod.ASYNC);
        }
    }

    private boolean describesItself() {
        return beanClass.isInterface() || Modifier.isAbstract(beanClass.getModifiers())
                || Stream.of("name", "aliases", "eventType")
                    .map(method -> ClassUtils.getMethod(beanClass, method))
                    .anyMatch(method -> method.getDeclaringClass() != Handler.class);
    }

    @SuppressWarnings("unchecked")
    private Handler<Object> bean() {
        return (Handler<Object>) beans.getBean(beanName, Handler.class);
    }

    private HandlerResult handle(EventEnvelope<?> envelope) throws Exception {
        @SuppressWarnings("unchecked")
        EventEnvelope<Object> typed = (EventEnvelope<Object>) envelope;
        bean().handle(typed);
        return HandlerResult.success();
    }

    private String name(@Nullable Handler<?> described) {
        if (annotation != null && !annotation.name().isBlank()) {
            return annotation.name();
        }
        if (described != null && !described.name().isBlank()) {
            return described.name();
        }
        String derived = beanClass.isSynthetic() || beanClass.isInterface() || beanClass.isAnonymousClass() ? beanName
                : beanClass.getSimpleName();
        log.warn("Handler bean '{}' has no durable name, so '{}' is stored with its deliveries. Renaming it would"
                + " orphan them: set @EventHandler(name = \"...\").", beanName, derived);
        return derived;
    }

    private @Nullable Class<?> eventClass(@Nullable Handler<?> described) {
        if (described != null && described.eventType() != Void.class) {
            return described.eventType();
        }
        Class<?> known = described == null ? beanClass : AopUtils.getTargetClass(described);
        Class<?> resolved = ResolvableType.forClass(known).as(Handler.class).getGeneric(0).resolve();
        if (resolved == null && beans.containsBeanDefinition(beanName)) {
            ResolvableType declared = beans.getMergedBeanDefinition(beanName).getResolvableType();
            resolved = declared.as(Handler.class).getGeneric(0).resolve();
        }
        return resolved;
    }

    private Class<?> subscribed(@Nullable Class<?> eventClass) {
        if (eventClass != null && eventClass != Object.class) {
            return eventClass;
        }
        if (annotation != null && annotation.types().length > 0) {
            return annotation.types()[0];
        }
        throw new InvalidHandlerException("The event class of handler bean '" + beanName + "' (" + beanClass.getName()
                + ") cannot be read from its type argument. Declare the bean as Handler<OrderPlaced>, with your event"
                + " class, override eventType(), or name the classes: @EventHandler(types = {...}).");
    }

}
