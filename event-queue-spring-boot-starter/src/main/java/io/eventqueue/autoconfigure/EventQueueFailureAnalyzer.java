package io.eventqueue.autoconfigure;

import io.eventqueue.EventQueueException;
import io.eventqueue.InvalidHandlerException;
import io.eventqueue.UnsupportedDatabaseException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to change when a handler or the database cannot be used. */
final class EventQueueFailureAnalyzer extends AbstractFailureAnalyzer<EventQueueException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, EventQueueException cause) {
        return switch (cause) {
            case InvalidHandlerException e ->
                new FailureAnalysis(e.getMessage(), "Change the handler as described above.", e);
            case UnsupportedDatabaseException e -> new FailureAnalysis(e.getMessage(),
                    "Change spring.datasource.url, or remove event-queue-spring-boot-starter from this application.",
                    e);
            default -> null;
        };
    }

}
