package io.eventqueue.sample;

/** The request makes no sense; the message says why and is shown to whoever sent it. */
final class InvalidOrderException extends RuntimeException {

    InvalidOrderException(String message) {
        super(message);
    }

}
