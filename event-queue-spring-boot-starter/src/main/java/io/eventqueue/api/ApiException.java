package io.eventqueue.api;

import io.eventqueue.EventQueueException;
import org.springframework.http.HttpStatus;

/** A request that is answered with a status and a sentence about what was wrong. */
final class ApiException extends EventQueueException {

    private static final long serialVersionUID = 1L;

    private final HttpStatus status;

    ApiException(HttpStatus status, String message) {
        super(message);
        this.status = status;
    }

    static ApiException badRequest(String message) {
        return new ApiException(HttpStatus.BAD_REQUEST, message);
    }

    static ApiException tooLarge(String message) {
        return new ApiException(HttpStatus.CONTENT_TOO_LARGE, message);
    }

    HttpStatus status() {
        return status;
    }

}
