package io.eventqueue.autoconfigure.observe;

import io.eventqueue.EventInterceptor;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Tells which trace an attempt belongs to, so that a failure leads to it. The tracer is
 * asked for late: whether there is one is not known before all beans are.
 */
final class TraceIds implements EventInterceptor {

    private final ObjectProvider<Tracer> tracer;

    TraceIds(ObjectProvider<Tracer> tracer) {
        this.tracer = tracer;
    }

    @Override
    public @Nullable String currentTraceId() {
        Tracer present = tracer.getIfUnique();
        Span span = present == null ? null : present.currentSpan();
        return span == null || span.isNoop() ? null : span.context().traceId();
    }

}
