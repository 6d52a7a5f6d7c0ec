package io.eventqueue.api;

import io.eventqueue.EventStateException;
import io.eventqueue.InvalidEventException;
import io.eventqueue.LostClaimException;
import io.eventqueue.PayloadTooLargeException;
import io.eventqueue.UnknownEventException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.http.HttpStatus;
import org.springframework.transaction.TransactionException;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Exceptions to answers, before any exception handler of the application sees them. What
 * the caller did wrong is told to the caller and not logged.
 */
final class ApiErrors {

    private static final Logger log = LoggerFactory.getLogger(ApiErrors.class);

    private ApiErrors() {
    }

    static ServerResponse answer(Throwable error, ServerRequest request) {
        return switch (error) {
            case ApiException e -> problem(e.status(), e);
            case UnknownEventException e -> problem(HttpStatus.NOT_FOUND, e);
            case LostClaimException e -> problem(HttpStatus.CONFLICT, e);
            case EventStateException e -> problem(HttpStatus.CONFLICT, e);
            case PayloadTooLargeException e -> problem(HttpStatus.CONTENT_TOO_LARGE, e);
            case InvalidEventException e -> problem(HttpStatus.BAD_REQUEST, e);
            case DataIntegrityViolationException e ->
                ApiJson.problem(HttpStatus.BAD_REQUEST, "The database cannot store a value of this request");
            case DataAccessException e -> unavailable(e, request);
            case TransactionException e -> unavailable(e, request);
            default -> {
                log.error("{} {} failed", request.method(), route(request), error);
                yield ApiJson.problem(HttpStatus.INTERNAL_SERVER_ERROR, "The request failed; see the server's log");
            }
        };
    }

    private static ServerResponse problem(HttpStatus status, Exception e) {
        return ApiJson.problem(status, String.valueOf(e.getMessage()));
    }

    private static ServerResponse unavailable(Exception e, ServerRequest request) {
        log.warn("{} {} failed for want of the database: {}", request.method(), route(request),
                e.getClass().getSimpleName());
        return ApiJson.answer(HttpStatus.SERVICE_UNAVAILABLE,
                new ApiJson.Problem("The database cannot be used now; try again"),
                headers -> headers.set("Retry-After", "1"));
    }

    /** The pattern, not the path: the caller's text stays out of the log. */
    private static Object route(ServerRequest request) {
        return request.attribute(RouterFunctions.MATCHING_PATTERN_ATTRIBUTE).orElse("the worker API");
    }

}
