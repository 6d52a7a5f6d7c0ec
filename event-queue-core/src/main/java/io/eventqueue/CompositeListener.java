package io.eventqueue;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells several listeners. What one throws is logged and reaches neither the others nor
 * the engine: a broken metric must not cost a delivery.
 */
final class CompositeListener implements EventQueueListener {

    private static final Logger log = LoggerFactory.getLogger(EventQueueListener.class);

    private final List<EventQueueListener> listeners;

    CompositeListener(List<EventQueueListener> listeners) {
        this.listeners = listeners;
    }

    @Override
    public void published(String eventType, int events) {
        tell(listener -> listener.published(eventType, events));
    }

    @Override
    public void fannedOut(String shard, int events, int notifications) {
        tell(listener -> listener.fannedOut(shard, events, notifications));
    }

    @Override
    public void handled(String handler, NotificationState outcome, Duration duration, @Nullable Duration lag) {
        tell(listener -> listener.handled(handler, outcome, duration, lag));
    }

    @Override
    public void expired(String shard, int notifications) {
        tell(listener -> listener.expired(shard, notifications));
    }

    @Override
    public void fenced(String shard, int writes) {
        tell(listener -> listener.fenced(shard, writes));
    }

    @Override
    public void abandoned(String handler) {
        tell(listener -> listener.abandoned(handler));
    }

    @Override
    public void worked(String shard, AttemptAction action, Collection<String> tags) {
        tell(listener -> listener.worked(shard, action, tags));
    }

    @Override
    public void abandonedByWorkers(String shard, int events) {
        tell(listener -> listener.abandonedByWorkers(shard, events));
    }

    @Override
    public void keysBlocked(String shard, String handler, int keys, Duration oldest) {
        tell(listener -> listener.keysBlocked(shard, handler, keys, oldest));
    }

    @Override
    public void projected(String shard, String projection, int events, long lag) {
        tell(listener -> listener.projected(shard, projection, events, lag));
    }

    @Override
    public void projectionFailed(String shard, String projection, Exception error) {
        tell(listener -> listener.projectionFailed(shard, projection, error));
    }

    @Override
    public void projectionMissed(String shard, String projection, long positions) {
        tell(listener -> listener.projectionMissed(shard, projection, positions));
    }

    @Override
    public void finalized(String shard, int events) {
        tell(listener -> listener.finalized(shard, events));
    }

    @Override
    public void roundFailed(String loop, Exception error) {
        tell(listener -> listener.roundFailed(loop, error));
    }

    private void tell(Consumer<EventQueueListener> call) {
        for (EventQueueListener listener : listeners) {
            try {
                call.accept(listener);
            }
            catch (RuntimeException e) {
                log.warn("{} threw; it should not", listener.getClass().getName(), e);
            }
        }
    }

}
