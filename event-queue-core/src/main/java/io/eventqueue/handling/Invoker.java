package io.eventqueue.handling;

import io.eventqueue.EventEnvelope;
import io.eventqueue.EventInterceptor;
import io.eventqueue.EventSerializer;
import io.eventqueue.HandlerDefinition;
import io.eventqueue.HandlerResult;
import io.eventqueue.NotificationState;
import io.eventqueue.RetryPolicy;
import io.eventqueue.UnrecoverableEventException;
import io.eventqueue.jdbc.Database;
import io.eventqueue.log.CurrentTrace;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs one attempt on the current thread and says how it ended; whatever is thrown is
 * this delivery's failure only.
 *
 * <ul>
 * <li>A transactional handler runs in the application's transaction, which also holds the
 * consumed mark (when it is not idempotent) and the success: they commit together or not
 * at all.
 * <li>One that is neither idempotent nor transactional is marked as having consumed the
 * event before it is called, so it is called at most once: any failure of it is final.
 * </ul>
 */
final class Invoker {

    private static final class ClaimLost extends RuntimeException {

        private static final long serialVersionUID = 1L;

    }

    private final EventSerializer serializer;

    private final List<EventInterceptor> interceptors;

    private final CurrentTrace currentTrace;

    private final RetryPolicy defaults;

    private final Duration retentionWindow;

    /**
     * Of attempts that run now, by notification; also for whoever ends one by timeout.
     */
    private final Map<UUID, String> traceIds = new ConcurrentHashMap<>();

    Invoker(EventSerializer serializer, List<EventInterceptor> interceptors, RetryPolicy defaults,
            Duration retentionWindow) {
        this.serializer = serializer;
        this.interceptors = List.copyOf(interceptors);
        this.currentTrace = new CurrentTrace(interceptors);
        this.defaults = defaults;
        this.retentionWindow = retentionWindow;
    }

    /** Null when nothing is to be written because the claim was lost. */
    @Nullable Outcome invoke(HandlerDefinition handler, Claim claim, Database database, Outcomes outcomes) {
        RetryPolicy policy = handler.retryPolicy().orElse(defaults);
        long start = System.nanoTime();
        try {
            if (claim.tries() > 1 && policy.exhausted(claim.tries() - 1)) {
                String reason = "abandoned " + (claim.tries() - 1) + " times by nodes that died; no attempts left";
                return failed(database, claim, policy, new HandlerResult.UnrecoverableError(reason, null), start);
            }
            HandlerResult result = handler.transactional() ? inTransaction(handler, claim, database, outcomes)
                    : plainly(handler, claim, database);
            if (result instanceof HandlerResult.Success) {
                if (handler.transactional()) {
                    outcomes.committed(claim);
                }
                return Outcome.succeeded(claim, since(start), handler.transactional());
            }
            return failed(database, claim, policy, result, start);
        }
        catch (ClaimLost lost) {
            outcomes.countFenced();
            return null;
        }
        catch (Throwable error) {
            HandlerResult result = policy.isUnrecoverable(error)
                    ? new HandlerResult.UnrecoverableError(String.valueOf(error.getMessage()), error)
                    : new HandlerResult.TransientError(String.valueOf(error.getMessage()), null, error);
            return failed(database, claim, policy, result, start);
        }
        finally {
            traceIds.remove(claim.id());
        }
    }

    Outcome timedOut(HandlerDefinition handler, Claim claim, Database database, Duration timeout) {
        String reason = "The handler did not end within its timeout of " + timeout;
        Throwable cause = new java.util.concurrent.TimeoutException(reason);
        HandlerResult result = atMostOnce(handler) ? new HandlerResult.UnrecoverableError(reason, cause)
                : new HandlerResult.TransientError(reason, null, cause);
        long start = System.nanoTime() - timeout.toNanos();
        return failed(database, claim, handler.retryPolicy().orElse(defaults), result, start);
    }

    private static boolean atMostOnce(HandlerDefinition handler) {
        return !handler.idempotent() && !handler.transactional();
    }

    private HandlerResult plainly(HandlerDefinition handler, Claim claim, Database database) throws Exception {
        EventEnvelope<Object> envelope = envelope(handler, claim);
        if (handler.idempotent()) {
            return call(handler, envelope);
        }
        if (!markConsumed(handler, claim, database)) {
            throw new UnrecoverableEventException(
                    "Handler '" + handler.name() + "' is neither idempotent nor transactional,"
                            + " so an event is handed to it at most once, and attempt " + (claim.attempt() - 1)
                            + " did not come to an end.");
        }
        try {
            HandlerResult result = call(handler, envelope);
            return result instanceof HandlerResult.TransientError error
                    ? new HandlerResult.UnrecoverableError(error.reason(), error.cause()) : result;
        }
        catch (Throwable error) {
            return new HandlerResult.UnrecoverableError(String.valueOf(error.getMessage()), error);
        }
    }

    private boolean markConsumed(HandlerDefinition handler, Claim claim, Database database) {
        try {
            return database.inOwnTransaction(() -> insertConsumed(handler, claim, database)) == 1;
        }
        catch (DuplicateKeyException e) {
            return false;
        }
    }

    private static int insertConsumed(HandlerDefinition handler, Claim claim, Database database) {
        return database.update(
                "INSERT INTO {consumed_events} (event_id, handler_name, consumed_at) VALUES (:event, :handler, {now})",
                Map.of("event", database.dialect().id(claim.eventId()), "handler", handler.name()));
    }

    private HandlerResult inTransaction(HandlerDefinition handler, Claim claim, Database database, Outcomes outcomes)
            throws Exception {
        try {
            return callInTransaction(handler, claim, database, outcomes);
        }
        catch (CheckedFailure e) {
            throw e.checked;
        }
    }

    private HandlerResult callInTransaction(HandlerDefinition handler, Claim claim, Database database,
            Outcomes outcomes) {
        TransactionTemplate transaction = new TransactionTemplate(database.shard().transactionManager());
        transaction.setIsolationLevel(database.dialect().isolation());
        HandlerResult outcome = transaction.execute(status -> {
            HandlerResult result;
            try {
                boolean consumedBefore = !handler.idempotent() && consumed(handler, claim, database);
                if (!handler.idempotent() && !consumedBefore) {
                    insertConsumed(handler, claim, database);
                }
                result = consumedBefore ? HandlerResult.success() : call(handler, envelope(handler, claim));
            }
            catch (RuntimeException | Error e) {
                throw e;
            }
            catch (Exception e) {
                throw new CheckedFailure(e);
            }
            if (!(result instanceof HandlerResult.Success)) {
                status.setRollbackOnly();
            }
            else if (!outcomes.succeedInCurrentTransaction(claim)) {
                throw new ClaimLost();
            }
            return result;
        });
        return outcome == null ? HandlerResult.success() : outcome;
    }

    private static boolean consumed(HandlerDefinition handler, Claim claim, Database database) {
        return !database.query("SELECT 1 FROM {consumed_events} WHERE event_id = :event AND handler_name = :handler",
                Map.of("event", database.dialect().id(claim.eventId()), "handler", handler.name()), (rs, row) -> row)
            .isEmpty();
    }

    private static final class CheckedFailure extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient Exception checked;

        private CheckedFailure(Exception checked) {
            super(checked);
            this.checked = checked;
        }

    }

    private HandlerResult call(HandlerDefinition handler, EventEnvelope<Object> envelope) throws Exception {
        CurrentDelivery.set(envelope);
        try {
            EventInterceptor.Chain chain = () -> {
                rememberTrace(envelope.notificationId());
                return handler.invocation().invoke(envelope);
            };
            for (EventInterceptor interceptor : interceptors.reversed()) {
                EventInterceptor.Chain next = chain;
                chain = () -> interceptor.handling(envelope, next);
            }
            return chain.proceed();
        }
        finally {
            CurrentDelivery.clear();
        }
    }

    private void rememberTrace(UUID notificationId) {
        @Nullable String traceId = currentTrace.id();
        if (traceId != null) {
            traceIds.put(notificationId, traceId);
        }
    }

    private EventEnvelope<Object> envelope(HandlerDefinition handler, Claim claim) {
        Class<?> eventClass = handler.eventTypes().get(claim.eventType());
        if (eventClass == null) {
            throw new IllegalStateException(
                    "Handler '" + handler.name() + "' no longer subscribes to event type '" + claim.eventType()
                            + "', for which this delivery was made. Deploy a version that does, or let it expire.");
        }
        String payload = claim.payload() == null ? "null" : claim.payload();
        return new EventEnvelope<>(serializer.read(payload, eventClass), claim.eventId(), claim.id(), claim.attempt(),
                handler.name(), claim.eventType(), claim.key(), claim.eventDate(),
                serializer.readHeaders(claim.headers()), claim.action());
    }

    private Outcome failed(Database database, Claim claim, RetryPolicy policy, HandlerResult result, long start) {
        Duration took = since(start);
        return switch (result) {
            case HandlerResult.Success ignored -> Outcome.succeeded(claim, took, false);
            case HandlerResult.UnrecoverableError error -> Outcome.failed(claim, NotificationState.DEAD, Duration.ZERO,
                    failure(claim, error.reason(), error.cause()), took);
            case HandlerResult.TransientError error -> {
                Failure failure = failure(claim, error.reason(), error.cause());
                Duration wait = error.delay() != null ? error.delay() : policy.backoffAfter(claim.tries());
                NotificationState state = policy.exhausted(claim.tries()) ? NotificationState.DEAD
                        : database.now().isAfter(claim.availableAt().plus(retentionWindow)) ? NotificationState.EXPIRED
                                : NotificationState.FAILED;
                yield Outcome.failed(claim, state, wait, failure, took);
            }
        };
    }

    private Failure failure(Claim claim, String reason, @Nullable Throwable cause) {
        return Failure.of(reason, cause).inTrace(traceIds.get(claim.id()));
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

}
