package io.eventqueue.autoconfigure;

import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHandler;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.Handler;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerResult;
import io.eventqueue.InvalidHandlerException;
import java.lang.reflect.Method;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Finds the handlers among the beans: every {@link Handler}, and every method with
 * {@link EventHandler}. Beans with annotated methods are looked at by their class and
 * fetched only when an event arrives.
 */
final class HandlerDiscovery {

    private static final Logger log = LoggerFactory.getLogger(EventHandler.class);

    private final ConfigurableListableBeanFactory beans;

    HandlerDiscovery(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    EventHandlerRegistry discover() {
        EventHandlerRegistry.Builder registry = EventHandlerRegistry.eventHandlerRegistry();
        for (String beanName : beans.getBeanNamesForType(Object.class)) {
            Class<?> beanClass = ScopedProxyUtils.isScopedTarget(beanName) ? null : classOf(beanName);
            if (beanClass == null || beanClass.getName().startsWith("org.springframework.")) {
                continue;
            }
            if (Handler.class.isAssignableFrom(beanClass)) {
                registry.withHandler(handler(beanName));
            }
            methods(beanName, beanClass, registry);
        }
        return registry.build();
    }

    private @Nullable Class<?> classOf(String beanName) {
        String target = ScopedProxyUtils.getTargetBeanName(beanName);
        Class<?> found = AutoProxyUtils.determineTargetClass(beans, beans.containsBean(target) ? target : beanName);
        return found == null ? null : ClassUtils.getUserClass(found);
    }

    private void methods(String beanName, Class<?> beanClass, EventHandlerRegistry.Builder registry) {
        if (!AnnotationUtils.isCandidateClass(beanClass, EventHandler.class)) {
            return;
        }
        Map<Method, EventHandler> methods = MethodIntrospector.selectMethods(beanClass,
                (MetadataLookup<EventHandler>) HandlerDiscovery::annotationOf);
        methods.forEach((method, annotation) -> registry
            .withHandler(new HandlerMethod(method, beanClass, annotation).definition(() -> beans.getBean(beanName))));
        if (methods.isEmpty() && beanClass.isAnnotationPresent(EventHandler.class)
                && !Handler.class.isAssignableFrom(beanClass)) {
            throw new InvalidHandlerException("@EventHandler is on " + beanClass.getName()
                    + ", which does not implement Handler. Write: implements Handler<OrderPlaced>, with your event"
                    + " class, or put @EventHandler on a method.");
        }
    }

    /** On a method that declares a bean the annotation is about that bean. */
    private static @Nullable EventHandler annotationOf(Method method) {
        return AnnotatedElementUtils.hasAnnotation(method, Bean.class) ? null
                : AnnotatedElementUtils.findMergedAnnotation(method, EventHandler.class);
    }

    private HandlerDefinition handler(String beanName) {
        @SuppressWarnings("unchecked")
        Handler<Object> handler = (Handler<Object>) beans.getBean(beanName, Handler.class);
        EventHandler annotation = beans.findAnnotationOnBean(beanName, EventHandler.class);
        String name = nameOf(handler, beanName, annotation);
        HandlerDefinition.Builder builder = HandlerDefinition
            .builder(name, eventClassOf(handler, beanName), envelope -> handle(handler, envelope))
            .aliases(handler.aliases());
        return (annotation == null ? builder : builder.annotatedWith(annotation)).build();
    }

    private static HandlerResult handle(Handler<Object> handler, EventEnvelope<?> envelope) throws Exception {
        @SuppressWarnings("unchecked")
        EventEnvelope<Object> typed = (EventEnvelope<Object>) envelope;
        handler.handle(typed);
        return HandlerResult.success();
    }

    private static String nameOf(Handler<?> handler, String beanName, @Nullable EventHandler annotation) {
        if (annotation != null && !annotation.name().isBlank()) {
            return annotation.name();
        }
        if (!handler.name().isBlank()) {
            return handler.name();
        }
        Class<?> type = AopUtils.getTargetClass(handler);
        String derived = type.isSynthetic() || type.isAnonymousClass() ? beanName : type.getSimpleName();
        log.warn("Handler bean '{}' has no durable name, so '{}' is stored with its deliveries. Renaming it would"
                + " orphan them: set @EventHandler(name = \"...\").", beanName, derived);
        return derived;
    }

    private Class<?> eventClassOf(Handler<?> handler, String beanName) {
        if (handler.eventType() != Void.class) {
            return handler.eventType();
        }
        Class<?> resolved = GenericTypeResolver.resolveTypeArgument(AopUtils.getTargetClass(handler), Handler.class);
        if (resolved == null && beans.containsBeanDefinition(beanName)) {
            ResolvableType declared = beans.getMergedBeanDefinition(beanName).getResolvableType();
            resolved = declared.as(Handler.class).getGeneric(0).resolve();
        }
        if (resolved == null) {
            throw new InvalidHandlerException("The event class of handler bean '" + beanName + "' ("
                    + AopUtils.getTargetClass(handler).getName() + ") cannot be read from its type argument."
                    + " Override eventType(), or declare the bean as Handler<OrderPlaced>, with your event class.");
        }
        return resolved;
    }

}
