package io.eventqueue;

/** A handler as a lambda: takes the bare event and says how it went. */
@FunctionalInterface
public interface HandlerFunction<E> {

    HandlerResult handle(E event) throws Exception;

}
