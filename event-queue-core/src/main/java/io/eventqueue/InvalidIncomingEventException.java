package io.eventqueue;

/** One event of those received together cannot be stored, now or later. */
public class InvalidIncomingEventException extends InvalidEventException {

    private static final long serialVersionUID = 1L;

    private final int index;

    public InvalidIncomingEventException(int index, Throwable cause) {
        super("Incoming event " + index + " cannot be stored: " + cause.getMessage(), cause);
        this.index = index;
    }

    /** Which one, counted from 0. */
    public int index() {
        return index;
    }

}
