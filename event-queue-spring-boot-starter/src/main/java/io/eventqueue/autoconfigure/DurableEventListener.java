package io.eventqueue.autoconfigure;

import io.eventqueue.DurableEvent;
import io.eventqueue.EventQueue;
import io.eventqueue.InvalidEventException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Writes {@link DurableEvent}s to the outbox while Spring publishes them: on the
 * publisher's thread, whatever the multicaster does with others, as only there is the
 * publisher's transaction.
 */
final class DurableEventListener implements GenericApplicationListener {

    private final ObjectProvider<EventQueue> queue;

    DurableEventListener(ObjectProvider<EventQueue> queue) {
        this.queue = queue;
    }

    @Override
    public boolean supportsEventType(ResolvableType eventType) {
        Class<?> type = eventType.toClass();
        Class<?> published = PayloadApplicationEvent.class.isAssignableFrom(type)
                ? eventType.as(PayloadApplicationEvent.class).getGeneric().toClass() : type;
        return AnnotatedElementUtils.hasAnnotation(published, DurableEvent.class);
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        if (!(event instanceof PayloadApplicationEvent<?> payload)) {
            throw new InvalidEventException("@DurableEvent is on " + event.getClass().getName()
                    + ", which extends ApplicationEvent and so holds its source, which cannot be stored."
                    + " Publish a plain class or record: it need not extend anything.");
        }
        queue.getObject().publish(payload.getPayload());
    }

    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }

}
