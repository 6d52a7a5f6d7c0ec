package io.eventqueue.autoconfigure;

import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHandler;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerResult;
import io.eventqueue.InvalidHandlerException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A bean's method with {@link EventHandler}, called through the bean, so that
 * transactions and other advice apply.
 */
final class HandlerMethod {

    private static final Logger log = LoggerFactory.getLogger(EventHandler.class);

    private final Method method;

    private final Class<?> beanClass;

    private final EventHandler annotation;

    HandlerMethod(Method method, Class<?> beanClass, EventHandler annotation) {
        this.method = method;
        this.beanClass = beanClass;
        this.annotation = annotation;
    }

    /** Refuses a method that cannot be called with an event. */
    HandlerDefinition definition(Supplier<Object> bean) {
        if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
            throw invalid("is private or static, so it cannot be called through the bean");
        }
        if (method.getReturnType() != void.class && method.getReturnType() != HandlerResult.class) {
            throw invalid("returns " + method.getReturnType().getSimpleName());
        }
        Class<?> eventClass = eventClass();
        return HandlerDefinition.builder(name(), eventClass, envelope -> invoke(bean.get(), envelope))
            .annotatedWith(annotation)
            .build();
    }

    private String name() {
        if (!annotation.name().isBlank()) {
            return annotation.name();
        }
        String derived = beanClass.getSimpleName() + "." + method.getName();
        log.warn(
                "Handler {}.{} has no durable name, so '{}' is stored with its deliveries. Renaming class or method"
                        + " would orphan them: set @EventHandler(name = \"...\").",
                beanClass.getName(), method.getName(), derived);
        return derived;
    }

    private Class<?> eventClass() {
        List<Class<?>> events = new ArrayList<>();
        List<ResolvableType> envelopes = new ArrayList<>();
        for (int i = 0; i < method.getParameterCount(); i++) {
            ResolvableType parameter = ResolvableType.forMethodParameter(method, i, beanClass);
            Class<?> type = parameter.resolve(Object.class);
            if (type == EventEnvelope.class) {
                envelopes.add(parameter.getGeneric(0));
            }
            else {
                events.add(type);
            }
        }
        if (events.size() > 1 || envelopes.size() > 1 || events.isEmpty() && envelopes.isEmpty()) {
            throw invalid("takes " + method.getParameterCount() + " parameters");
        }
        @Nullable Class<?> event = events.isEmpty() ? null : events.getFirst();
        @Nullable Class<?> enveloped = envelopes.isEmpty() ? null : envelopes.getFirst().resolve();
        if (event != null && enveloped != null && !enveloped.isAssignableFrom(event)) {
            throw invalid("takes a " + event.getSimpleName() + " and the envelope of a " + enveloped.getSimpleName());
        }
        return subscribed(event != null ? event : enveloped);
    }

    private Class<?> subscribed(@Nullable Class<?> parameter) {
        Class<?>[] types = annotation.types();
        for (Class<?> type : types) {
            if (parameter != null && !parameter.isAssignableFrom(type)) {
                throw invalid("takes a " + parameter.getSimpleName() + ", but types names " + type.getSimpleName());
            }
        }
        if (parameter != null && parameter != Object.class) {
            return parameter;
        }
        if (types.length == 0) {
            throw invalid("does not say which event class it takes");
        }
        return types[0];
    }

    private InvalidHandlerException invalid(String reason) {
        return new InvalidHandlerException("@EventHandler method " + ClassUtils.getQualifiedMethodName(method) + " "
                + reason + ". Write: void " + method.getName() + "(OrderPlaced event), or (EventEnvelope<OrderPlaced>"
                + " envelope), or both parameters, with your event class; return void or HandlerResult.");
    }

    private HandlerResult invoke(Object bean, EventEnvelope<?> envelope) throws Exception {
        Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
        ReflectionUtils.makeAccessible(invocable);
        Object[] arguments = new Object[method.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = method.getParameterTypes()[i] == EventEnvelope.class ? envelope : envelope.event();
        }
        try {
            @Nullable Object result = invocable.invoke(bean, arguments);
            return result instanceof HandlerResult handlerResult ? handlerResult : HandlerResult.success();
        }
        catch (InvocationTargetException e) {
            switch (e.getTargetException()) {
                case Exception exception -> throw exception;
                case Error error -> throw error;
                default -> throw e;
            }
        }
    }

}
