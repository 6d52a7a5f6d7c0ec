package io.eventqueue.api;

import io.eventqueue.QueuedEvent;
import io.eventqueue.UnknownEventException;
import io.eventqueue.outbox.EventFilter;
import io.eventqueue.outbox.TransactionalEventQueue;
import java.util.UUID;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Looking at events, and making one available again. */
final class OperatorEndpoints {

    private static final int DEFAULT_LIMIT = 20;

    private static final int MAX_LIMIT = 1000;

    /** All ids up to here are read to find the page. */
    private static final int MAX_OFFSET = 100_000;

    private static final int MAX_REASON = 1000;

    private final TransactionalEventQueue queue;

    private final WaitingWorkers waiting;

    OperatorEndpoints(TransactionalEventQueue queue, WaitingWorkers waiting) {
        this.queue = queue;
        this.waiting = waiting;
    }

    ServerResponse get(ServerRequest request) {
        Query query = new Query(request);
        UUID id = query.eventId();
        boolean withLogs = query.flag("include_logs");
        QueuedEvent event = queue.find(id)
            .orElseThrow(() -> new UnknownEventException("There is no event " + id + ", neither live nor in the log"));
        return ApiJson.ok(Views.EventDetails.of(event, withLogs ? queue.pullQueue().audit(id) : null));
    }

    ServerResponse list(ServerRequest request) {
        Query query = new Query(request);
        int limit = query.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
        int offset = query.number("offset", 0, 0, MAX_OFFSET);
        EventFilter filter = new EventFilter(query.statuses(), query.tags(), limit, offset);
        return ApiJson.ok(Views.EventList.of(queue.pullQueue().list(filter), limit, offset));
    }

    ServerResponse reset(ServerRequest request) {
        Query query = new Query(request);
        UUID id = query.eventId();
        String reason = query.text("reason")
            .map(text -> Text.line("reason", text, MAX_REASON))
            .orElse("reset without a reason");
        Views.Recorded reset = Views.Recorded.ofReset(queue.pullQueue().reset(id, reason));
        waiting.wake();
        return ApiJson.ok(reset);
    }

}
