package io.eventqueue;

/** A projection cannot be run: the message says what to change. */
public class InvalidProjectionException extends EventQueueException {

    private static final long serialVersionUID = 1L;

    public InvalidProjectionException(String message) {
        super(message, null);
    }

}
