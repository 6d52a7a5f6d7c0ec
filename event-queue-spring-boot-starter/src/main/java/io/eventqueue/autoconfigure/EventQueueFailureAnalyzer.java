package io.eventqueue.autoconfigure;

import io.eventqueue.EventQueueException;
import io.eventqueue.InvalidEventException;
import io.eventqueue.InvalidHandlerException;
import io.eventqueue.InvalidProjectionException;
import io.eventqueue.UnsupportedDatabaseException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Says what to change when a handler, a property or the database cannot be used. First in
 * order, as the exception that carries it may mean something to other analyzers.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class EventQueueFailureAnalyzer extends AbstractFailureAnalyzer<EventQueueException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, EventQueueException cause) {
        return switch (cause) {
            case InvalidHandlerException e ->
                new FailureAnalysis(e.getMessage(), "Change the handler as described above.", e);
            case InvalidProjectionException e ->
                new FailureAnalysis(e.getMessage(), "Change the projection as described above.", e);
            case InvalidEventException e ->
                new FailureAnalysis(e.getMessage(), "Change the event class as described above.", e);
            case InvalidPropertyException e -> new FailureAnalysis(e.getMessage(), e.action(), e);
            case UnsupportedDatabaseException e -> new FailureAnalysis(e.getMessage(),
                    "Change spring.datasource.url, or remove event-queue-spring-boot-starter from this application.",
                    e);
            default -> null;
        };
    }

}
