package io.eventqueue.autoconfigure.actuate;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/** The request makes no sense; the message says what to send instead. */
final class InvalidOperationException extends InvalidEndpointRequestException {

    InvalidOperationException(String message) {
        super(message, message);
    }

}
