package io.eventqueue.autoconfigure.api;

import io.eventqueue.EventQueueException;

/** The worker API would be open to everybody. */
final class UnprotectedApiException extends EventQueueException {

    private static final long serialVersionUID = 1L;

    UnprotectedApiException(String path, String problem) {
        super("event-queue.api.enabled is true, but nobody looks after access to " + path + ": no"
                + " event-queue.api.token is set, and " + problem);
    }

}
