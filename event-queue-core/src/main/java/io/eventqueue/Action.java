package io.eventqueue;

/** A unit of business work: changes data and raises events, in one transaction. */
@FunctionalInterface
public interface Action<T extends @org.jspecify.annotations.Nullable Object> {

    /** Does the work; {@code events} collects what it raises. */
    T run(Events events) throws Exception;

    /** What an action has raised so far. */
    interface Events {

        void raise(Object event);

    }

}
