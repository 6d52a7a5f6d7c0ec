package io.eventqueue.autoconfigure.observe;

import io.eventqueue.EventEnvelope;
import io.eventqueue.HandlerResult;
import io.eventqueue.autoconfigure.observe.EventQueueObservation.Details;
import io.eventqueue.autoconfigure.observe.EventQueueObservation.Keys;
import io.micrometer.common.KeyValues;
import org.jspecify.annotations.Nullable;

/** {@code event.queue.handle}, by handler, event type and outcome. */
final class StandardHandleConvention implements EventHandleObservationConvention {

    @Override
    public String getName() {
        return EventQueueObservation.HANDLE.getName();
    }

    @Override
    public String getContextualName(EventHandleContext context) {
        return "handle " + context.getEnvelope().handler();
    }

    /** Both names are those of subscriptions, so there are only so many. */
    @Override
    public KeyValues getLowCardinalityKeyValues(EventHandleContext context) {
        EventEnvelope<?> envelope = context.getEnvelope();
        return KeyValues.of(Keys.HANDLER.withValue(envelope.handler()), Keys.EVENT_TYPE.withValue(envelope.eventType()),
                Keys.OUTCOME.withValue(outcome(context)));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(EventHandleContext context) {
        EventEnvelope<?> envelope = context.getEnvelope();
        return KeyValues.of(Details.EVENT_ID.withValue(envelope.eventId().toString()),
                Details.NOTIFICATION_ID.withValue(envelope.notificationId().toString()),
                Details.ATTEMPT.withValue(String.valueOf(envelope.attempt())));
    }

    private static String outcome(EventHandleContext context) {
        @Nullable HandlerResult result = context.getResult();
        if (result == null) {
            return context.getError() == null ? "unknown" : "exception";
        }
        return switch (result) {
            case HandlerResult.Success ignored -> "success";
            case HandlerResult.TransientError ignored -> "transient_error";
            case HandlerResult.UnrecoverableError ignored -> "unrecoverable_error";
        };
    }

}
