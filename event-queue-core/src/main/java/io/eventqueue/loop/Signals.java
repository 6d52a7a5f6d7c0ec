package io.eventqueue.loop;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells the loops of one shard that there is work, sooner than they would find it by
 * polling. Signals are hints: losing one costs one poll delay.
 */
public final class Signals {

    /** What happened. */
    public enum Signal {

        /** Events were committed: there may be something to fan out or to pull. */
        EVENTS,
        /** Notifications were committed that nobody has claimed. */
        NOTIFICATIONS

    }

    private final List<Consumer<Signal>> local = new CopyOnWriteArrayList<>();

    private final List<Consumer<Signal>> remote = new CopyOnWriteArrayList<>();

    private volatile @Nullable Handover handover;

    /** {@code listener} hears signals of this node and of others. */
    public void listen(Consumer<Signal> listener) {
        local.add(listener);
    }

    public void forget(Consumer<Signal> listener) {
        local.remove(listener);
    }

    /**
     * {@code forwarder} hears signals of this node only, to pass them on to other nodes.
     */
    public void forward(Consumer<Signal> forwarder) {
        remote.add(forwarder);
    }

    public void forgetForwarder(Consumer<Signal> forwarder) {
        remote.remove(forwarder);
    }

    /** {@code handover} takes what is published on this node; there is one at most. */
    public void handOverTo(Handover handover) {
        this.handover = handover;
    }

    public void forgetHandover(Handover forgotten) {
        if (handover == forgotten) {
            handover = null;
        }
    }

    public @Nullable Handover handover() {
        return handover;
    }

    /** Something happened on this node. */
    public void raise(Signal signal) {
        received(signal);
        remote.forEach(forwarder -> forwarder.accept(signal));
    }

    /** Something happened on another node. */
    public void received(Signal signal) {
        local.forEach(listener -> listener.accept(signal));
    }

}
