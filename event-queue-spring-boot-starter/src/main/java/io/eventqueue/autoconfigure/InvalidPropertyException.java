package io.eventqueue.autoconfigure;

import io.eventqueue.EventQueueException;

/** A property has a value that cannot work. */
final class InvalidPropertyException extends EventQueueException {

    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * @param property below {@code event-queue}
     * @param problem what is wrong, starting with a verb
     * @param instead what to write, starting with a verb
     */
    InvalidPropertyException(String property, String problem, String instead) {
        super("event-queue." + property + " " + problem + ": " + instead);
        this.action = "For event-queue." + property + ", " + instead + ".";
    }

    String action() {
        return action;
    }

}
