package io.eventqueue.autoconfigure.observe;

import io.eventqueue.EventEnvelope;
import io.eventqueue.EventInterceptor;
import io.eventqueue.HandlerResult;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;

/**
 * Observes publishing and handling. With a tracer, the trace of the publisher goes into
 * the headers of the event, which are a column of its row, and every attempt continues
 * it: also one made by another node, days later.
 */
final class ObservingInterceptor implements EventInterceptor, Ordered {

    private static final StandardPublishConvention PUBLISH = new StandardPublishConvention();

    private static final StandardHandleConvention HANDLE = new StandardHandleConvention();

    private final ObservationRegistry registry;

    private final @Nullable EventPublishObservationConvention publishConvention;

    private final @Nullable EventHandleObservationConvention handleConvention;

    ObservingInterceptor(ObservationRegistry registry, @Nullable EventPublishObservationConvention publishConvention,
            @Nullable EventHandleObservationConvention handleConvention) {
        this.registry = registry;
        this.publishConvention = publishConvention;
        this.handleConvention = handleConvention;
    }

    @Override
    public void publishing(Object event, String eventType, Map<String, String> headers) {
        EventQueueObservation.PUBLISH
            .observation(publishConvention, PUBLISH, () -> new EventPublishContext(event, eventType, headers), registry)
            .start()
            .stop();
    }

    @Override
    public HandlerResult handling(EventEnvelope<?> envelope, Chain chain) throws Exception {
        EventHandleContext context = new EventHandleContext(envelope);
        Observation observation = EventQueueObservation.HANDLE
            .observation(handleConvention, HANDLE, () -> context, registry)
            .start();
        try (Observation.Scope scope = observation.openScope()) {
            HandlerResult result = Objects.requireNonNull(chain.proceed());
            context.setResult(result);
            @Nullable Throwable error = errorOf(result);
            if (error != null) {
                observation.error(error);
            }
            return result;
        }
        catch (Throwable error) {
            observation.error(error);
            throw error;
        }
        finally {
            observation.stop();
        }
    }

    /**
     * A failure without a cause is one all the same, and a span shows only exceptions.
     */
    private static @Nullable Throwable errorOf(HandlerResult result) {
        return switch (result) {
            case HandlerResult.Success ignored -> null;
            case HandlerResult.TransientError error -> error.cause() != null ? error.cause() : failure(error.reason());
            case HandlerResult.UnrecoverableError error ->
                error.cause() != null ? error.cause() : failure(error.reason());
        };
    }

    private static Throwable failure(String reason) {
        return new IllegalStateException(reason);
    }

    /** Outermost, so that what other interceptors do is part of the span. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

}
