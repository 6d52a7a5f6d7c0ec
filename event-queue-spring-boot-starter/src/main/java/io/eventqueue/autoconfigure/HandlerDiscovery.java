package io.eventqueue.autoconfigure;

import io.eventqueue.EventHandler;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.Handler;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.InvalidHandlerException;
import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/**
 * Finds the handlers among the beans: every {@link Handler}, and every method with
 * {@link EventHandler}. It looks at classes and fetches a bean only when an event
 * arrives, so lazy beans stay lazy. Run it when all other singletons exist: before, the
 * class behind an interface is not known.
 */
final class HandlerDiscovery {

    private final ConfigurableListableBeanFactory beans;

    private final HandlerSettings settings;

    HandlerDiscovery(ConfigurableListableBeanFactory beans, HandlerSettings settings) {
        this.beans = beans;
        this.settings = settings;
    }

    EventHandlerRegistry discover() {
        EventHandlerRegistry.Builder builder = EventHandlerRegistry.eventHandlerRegistry();
        for (String beanName : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> beanClass = ScopedProxyUtils.isScopedTarget(beanName) ? null : classOf(beanName);
            if (beanClass != null && !beanClass.getName().startsWith("org.springframework.")) {
                add(beanName, beanClass, builder);
            }
        }
        beans.getBeanProvider(HandlerProvider.class)
            .orderedStream()
            .flatMap(provider -> provider.handlers().stream())
            .forEach(handler -> builder.withHandler(settings.applyTo(handler)));
        EventHandlerRegistry registry = builder.build();
        settings.check(registry);
        return registry;
    }

    private @Nullable Class<?> classOf(String beanName) {
        String target = ScopedProxyUtils.getTargetBeanName(beanName);
        Class<?> found = AutoProxyUtils.determineTargetClass(beans, beans.containsBean(target) ? target : beanName);
        return found == null ? null : ClassUtils.getUserClass(found);
    }

    private void add(String beanName, Class<?> beanClass, EventHandlerRegistry.Builder registry) {
        boolean isHandler = Handler.class.isAssignableFrom(beanClass);
        EventHandler onBean = beans.findAnnotationOnBean(beanName, EventHandler.class, false);
        if (isHandler) {
            registry.withHandler(settings.applyTo(new HandlerBean(beans, beanName, beanClass, onBean).definition()));
        }
        else if (onBean != null) {
            throw new InvalidHandlerException("@EventHandler is on bean '" + beanName + "' (" + beanClass.getName()
                    + "), which does not implement Handler. Write: implements Handler<OrderPlaced>, with your event"
                    + " class, or put @EventHandler on the method that takes the event.");
        }
        Object existing = beans.containsSingleton(beanName) ? beans.getBean(beanName) : null;
        methodsOf(beanClass).forEach((method, annotation) -> {
            if (isHandler && HandlerBean.isHandle(method)) {
                throw new InvalidHandlerException("@EventHandler is on " + ClassUtils.getQualifiedMethodName(method)
                        + " of a class that implements Handler. Put it on the class instead.");
            }
            HandlerDefinition definition = new HandlerMethod(method, beanClass, annotation)
                .definition(() -> beans.getBean(beanName), existing);
            registry.withHandler(settings.applyTo(definition));
        });
    }

    /**
     * By name, as the JVM gives methods in no order that would be the same every time.
     */
    static Map<Method, EventHandler> methodsOf(Class<?> beanClass) {
        Map<Method, EventHandler> methods = new TreeMap<>(
                Comparator.comparing(Method::getName).thenComparing(Method::toGenericString));
        methods.putAll(MethodIntrospector.selectMethods(beanClass,
                (MetadataLookup<EventHandler>) HandlerDiscovery::annotationOf));
        return methods;
    }

    /** On a method that declares a bean the annotation is about that bean. */
    private static @Nullable EventHandler annotationOf(Method method) {
        return AnnotatedElementUtils.hasAnnotation(method, Bean.class) ? null
                : AnnotatedElementUtils.findMergedAnnotation(method, EventHandler.class);
    }

}
