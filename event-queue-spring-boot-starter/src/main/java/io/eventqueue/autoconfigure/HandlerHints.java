package io.eventqueue.autoconfigure;

import io.eventqueue.EventHandler;
import io.eventqueue.Handler;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerResult;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.util.ClassUtils;

/**
 * For native images: what a handler bean needs by reflection, which is its methods and
 * the event classes they read from JSON. Event classes that are only published here need
 * {@code @RegisterReflectionForBinding}.
 */
final class HandlerHints implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> beanClass = ClassUtils.getUserClass(bean.getBeanClass());
        if (beanClass.getName().startsWith("org.springframework.")) {
            return null;
        }
        Map<Method, EventHandler> methods = HandlerDiscovery.methodsOf(beanClass);
        Set<Class<?>> events = new LinkedHashSet<>();
        methods.forEach((method, annotation) -> events
            .addAll(new HandlerMethod(method, beanClass, annotation).definition(bean::getBeanName, null)
                .eventTypes()
                .values()));
        boolean isHandler = Handler.class.isAssignableFrom(beanClass);
        if (isHandler) {
            events.addAll(eventsOf(bean));
        }
        return events.isEmpty() && !isHandler ? null : (generation, code) -> {
            ReflectionHints hints = generation.getRuntimeHints().reflection();
            methods.keySet().forEach(method -> hints.registerMethod(method, ExecutableMode.INVOKE));
            if (isHandler) {
                hints.registerType(beanClass, MemberCategory.INVOKE_PUBLIC_METHODS);
            }
            new BindingReflectionHintsRegistrar().registerReflectionHints(hints, events.toArray(Class[]::new));
        };
    }

    private static Set<Class<?>> eventsOf(RegisteredBean bean) {
        Set<Class<?>> declared = new LinkedHashSet<>();
        Class<?> argument = bean.getBeanType().as(Handler.class).getGeneric(0).resolve();
        if (argument != null && argument != Object.class) {
            declared.add(argument);
        }
        EventHandler annotation = bean.getBeanFactory()
            .findAnnotationOnBean(bean.getBeanName(), EventHandler.class, false);
        if (annotation != null) {
            declared.addAll(Set.of(annotation.types()));
        }
        Set<Class<?>> concrete = new LinkedHashSet<>();
        declared.forEach(type -> concrete
            .addAll(HandlerDefinition.builder(bean.getBeanName(), type, envelope -> HandlerResult.success())
                .build()
                .eventTypes()
                .values()));
        return concrete;
    }

}
