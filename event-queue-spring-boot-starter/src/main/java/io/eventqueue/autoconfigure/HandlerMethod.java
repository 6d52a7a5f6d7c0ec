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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A bean's method with {@link EventHandler}, called through the bean, so that
 * transactions and other advice apply.
 */
final class HandlerMethod {

    /** Follows the name of a class or method. */
    static final String ASYNC = " is a handler and @Async: it would return before its work is done, so that a failure"
            + " is never seen and the event counts as handled. Remove @Async; handlers run on threads of their own"
            + " already, event-queue.handling.concurrency at a time.";

    private static final Logger log = LoggerFactory.getLogger(EventHandler.class);

    private final Method method;

    private final Class<?> beanClass;

    private final EventHandler annotation;

    private final Map<Class<?>, Method> invocable = new ConcurrentHashMap<>();

    HandlerMethod(Method method, Class<?> beanClass, EventHandler annotation) {
        this.method = method;
        this.beanClass = beanClass;
        this.annotation = annotation;
    }

    /**
     * Refuses a method that cannot be called with an event.
     * @param existing the bean, if it exists already
     */
    HandlerDefinition definition(Supplier<Object> bean, @Nullable Object existing) {
        if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
            throw invalid("is private or static, so it cannot be called through the bean");
        }
        if (AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(beanClass, Async.class)) {
            throw new InvalidHandlerException("@EventHandler method " + qualifiedName() + ASYNC);
        }
        if (method.getReturnType() != void.class && method.getReturnType() != HandlerResult.class) {
            throw invalid("returns " + method.getReturnType().getSimpleName());
        }
        Class<?> eventClass = eventClass();
        if (existing != null) {
            refuseWhatAProxyHides(existing);
        }
        return HandlerDefinition.builder(name(), eventClass, envelope -> invoke(bean.get(), envelope))
            .annotatedWith(annotation)
            .build();
    }

    private void refuseWhatAProxyHides(Object existing) {
        if (AopUtils.isCglibProxy(existing) && Modifier.isFinal(method.getModifiers())) {
            throw invalid("is final, so it cannot be called through the proxy of its bean");
        }
        try {
            AopUtils.selectInvocableMethod(method, existing.getClass());
        }
        catch (IllegalStateException e) {
            throw new InvalidHandlerException("@EventHandler method " + qualifiedName()
                    + " is in no interface of its bean, which is a JDK proxy. Add it to an interface that "
                    + beanClass.getSimpleName() + " implements, or set spring.aop.proxy-target-class=true.", e);
        }
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
            else if (type.isPrimitive() || type.isArray() || Iterable.class.isAssignableFrom(type)) {
                throw invalid("takes " + parameter + ", which is no event");
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
        return new InvalidHandlerException("@EventHandler method " + qualifiedName() + " " + reason + ". Write: void "
                + method.getName() + "(OrderPlaced event), or (EventEnvelope<OrderPlaced>"
                + " envelope), or both parameters, with your event class; return void or HandlerResult.");
    }

    private String qualifiedName() {
        return ClassUtils.getQualifiedMethodName(method, beanClass);
    }

    private HandlerResult invoke(Object bean, EventEnvelope<?> envelope) throws Exception {
        Method callable = invocable.computeIfAbsent(bean.getClass(), this::callableOn);
        Object[] arguments = new Object[method.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = method.getParameterTypes()[i] == EventEnvelope.class ? envelope : envelope.event();
        }
        try {
            @Nullable Object result = callable.invoke(bean, arguments);
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

    private Method callableOn(Class<?> type) {
        Method selected = AopUtils.selectInvocableMethod(method, type);
        ReflectionUtils.makeAccessible(selected);
        return selected;
    }

}
