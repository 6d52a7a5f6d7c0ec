package io.eventqueue.log;

import io.eventqueue.EventInterceptor;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The trace that the current thread works in, as the first interceptor that knows tells
 * it.
 */
public final class CurrentTrace {

    /** For what belongs to no trace. */
    public static final CurrentTrace NONE = new CurrentTrace(List.of());

    private final List<EventInterceptor> interceptors;

    public CurrentTrace(Collection<? extends EventInterceptor> interceptors) {
        this.interceptors = List.copyOf(interceptors);
    }

    public @Nullable String id() {
        return interceptors.stream()
            .map(EventInterceptor::currentTraceId)
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
    }

}
