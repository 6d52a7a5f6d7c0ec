package io.eventqueue.api;

import io.eventqueue.QueuedEvent;
import io.eventqueue.outbox.FailedAttempt;
import io.eventqueue.outbox.PollRequest;
import io.eventqueue.outbox.PullQueue;
import io.eventqueue.outbox.WorkReport;
import io.eventqueue.outbox.WorkerClaim;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Pulling events and reporting what became of them. A worker proves by its id, and by the
 * attempt if it sends that back, that the event is its own.
 */
final class WorkerEndpoints {

    private static final int MAX_REPORT_BYTES = 64 * 1024;

    /** The container's own timeout is only a safety net: waits end before. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    private final PullQueue queue;

    private final WaitingWorkers waiting;

    private final WorkerApiSettings settings;

    WorkerEndpoints(PullQueue queue, WaitingWorkers waiting, WorkerApiSettings settings) {
        this.queue = queue;
        this.waiting = waiting;
        this.settings = settings;
    }

    ServerResponse subscribe(ServerRequest request) {
        Query query = new Query(request);
        PollRequest poll = new PollRequest(query.requiredTags(), query.workerId(), 1, settings.lease());
        Duration wait = query.waiting(settings.maxWait());
        long seen = waiting.signals();
        Optional<QueuedEvent> picked = queue.poll(poll).stream().findFirst();
        if (picked.isPresent() || wait.isZero()) {
            return picked(picked);
        }
        WebAsyncUtils.getAsyncManager(request.servletRequest())
            .registerDeferredResultInterceptor(WaitingWorkers.class, new DeferredResultProcessingInterceptor() {
                @Override
                public <T> void afterCompletion(NativeWebRequest completed, DeferredResult<T> result) {
                    waiting.answered();
                }
            });
        return ServerResponse.async(waiting.join(poll, wait, seen).thenApply(WorkerEndpoints::picked),
                wait.plus(GRACE));
    }

    ServerResponse start(ServerRequest request) {
        return ApiJson.ok(Views.Recorded.of(queue.start(claim(request, report(request)))));
    }

    ServerResponse heartbeat(ServerRequest request) {
        WorkerClaim claim = claim(request, report(request));
        Instant leaseUntil = queue.heartbeat(claim, settings.lease());
        return ApiJson.ok(new Views.Lease(claim.eventId(), claim.workerId(), leaseUntil));
    }

    ServerResponse complete(ServerRequest request) {
        JsonBody body = report(request);
        return ApiJson.ok(Views.Recorded.of(queue.complete(claim(request, body), List.of(), workReport(body))));
    }

    ServerResponse fail(ServerRequest request) {
        JsonBody body = report(request);
        String error = body.lines("error_message").orElse("The worker gave no reason");
        FailedAttempt failed = queue.fail(claim(request, body), error, settings.retryDelay(), workReport(body));
        if (failed.retryScheduled()) {
            return ApiJson.ok(Views.Recorded.of(failed));
        }
        return ApiJson.answer(HttpStatus.BAD_REQUEST,
                new ApiJson.RetriesExceeded("Max retries exceeded", failed.retryCount(), failed.maxRetries()));
    }

    private static ServerResponse picked(Optional<QueuedEvent> event) {
        return event
            .map(picked -> ApiJson.answer(HttpStatus.OK, Views.PickedEvent.of(picked),
                    headers -> headers.set(Query.ATTEMPT, String.valueOf(picked.attempts()))))
            .orElseGet(
                    () -> ServerResponse.noContent().cacheControl(CacheControl.noStore()).build((request, response) -> {
                        // Nothing else writes an answer without a body before its request
                        // has ended.
                        response.flushBuffer();
                        return null;
                    }));
    }

    private static JsonBody report(ServerRequest request) {
        return JsonBody.of(request, MAX_REPORT_BYTES);
    }

    private static WorkerClaim claim(ServerRequest request, JsonBody body) {
        Query query = new Query(request);
        return new WorkerClaim(query.eventId(), body.requiredLine("worker_id", Text.MAX_WORKER_ID),
                query.attempt().orElse(null));
    }

    private static WorkReport workReport(JsonBody body) {
        return new WorkReport(body.integer("status_code", 0), body.longInteger("execution_time_ms", 0));
    }

}
