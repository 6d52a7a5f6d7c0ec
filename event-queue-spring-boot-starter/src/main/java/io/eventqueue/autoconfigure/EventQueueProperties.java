package io.eventqueue.autoconfigure;

import io.eventqueue.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of the event queue. A wrong value, or a name that does not exist, stops the
 * application from starting.
 *
 * @param namespace Namespace written with every event.
 * @param datasource Bean name of the DataSource to use. The primary one when not set.
 * @param shards Bean names of several DataSources to use as shards, instead of one
 * DataSource.
 * @param fanoutPollDelay Idle wait of the fan-out loop; commits wake it earlier.
 * @param handlingPollDelay Idle wait of the handling loop; fan-out wakes it earlier.
 * @param fanoutBatchSize Events fanned out in one transaction.
 * @param handlingBatchSize Notifications claimed in one transaction.
 * @param handlingMaxBackoffCap Longest wait between two attempts of a handler.
 * @param handlingRetentionWindow Notifications older than this that are not done expire.
 * @param abandonmentTimeout How long a node may be silent before others take over.
 * @param shutdownTimeout How long running handlers may go on when the application stops.
 * @param maxPayloadSize Largest payload of an event.
 * @param logRetention How long finalized events are kept.
 * @param notificationRetention How long finished notifications are kept.
 * @param deadLetterRetention How long dead and expired notifications wait for somebody to
 * replay or discard them.
 * @param retiredHandlers Names of handlers that are gone for good. Their open
 * notifications expire at once.
 * @param fanout Fan-out.
 * @param handling Handling.
 * @param handlers What differs for one handler, by its name. Goes before its annotation.
 * @param projections Projections of the event log.
 * @param publish Publishing.
 * @param schema Tables.
 * @param metrics Metrics.
 * @param health Health.
 * @param kafka Kafka.
 * @param api Worker API over HTTP.
 */
@ConfigurationProperties(prefix = "event-queue", ignoreUnknownFields = false)
public record EventQueueProperties(@DefaultValue("default") String namespace, @Nullable String datasource,
        @DefaultValue List<String> shards, @DefaultValue("1s") Duration fanoutPollDelay,
        @DefaultValue("1s") Duration handlingPollDelay, @DefaultValue("200") int fanoutBatchSize,
        @DefaultValue("100") int handlingBatchSize, @DefaultValue("5m") Duration handlingMaxBackoffCap,
        @DefaultValue("7d") Duration handlingRetentionWindow, @DefaultValue("1m") Duration abandonmentTimeout,
        @DefaultValue("30s") Duration shutdownTimeout, @DefaultValue("1MB") DataSize maxPayloadSize,
        @DefaultValue("30d") Duration logRetention, @DefaultValue("7d") Duration notificationRetention,
        @DefaultValue("30d") Duration deadLetterRetention, @DefaultValue Set<String> retiredHandlers,
        @DefaultValue Fanout fanout, @DefaultValue Handling handling,
        @DefaultValue Map<String, HandlerOverrides> handlers, @DefaultValue Projections projections,
        @DefaultValue Publish publish, @DefaultValue Schema schema, @DefaultValue Metrics metrics,
        @DefaultValue Health health, @DefaultValue @NestedConfigurationProperty EventQueueKafkaProperties kafka,
        @DefaultValue Api api) {

    public EventQueueProperties {
        if (namespace.isBlank() || namespace.length() > 255) {
            throw new InvalidPropertyException("namespace", "has " + namespace.length() + " characters",
                    "write 1 to 255 characters");
        }
        if (datasource != null && !shards.isEmpty()) {
            throw new InvalidPropertyException("datasource", "is set beside event-queue.shards",
                    "remove one of them: a list of shards replaces the one DataSource");
        }
        if (Set.copyOf(shards).size() < shards.size()) {
            throw new InvalidPropertyException("shards", "is " + shards, "name every DataSource once");
        }
        positive("fanout-poll-delay", fanoutPollDelay);
        positive("handling-poll-delay", handlingPollDelay);
        atLeastOne("fanout-batch-size", fanoutBatchSize);
        atLeastOne("handling-batch-size", handlingBatchSize);
        positive("handling-max-backoff-cap", handlingMaxBackoffCap);
        positive("handling-retention-window", handlingRetentionWindow);
        positive("abandonment-timeout", abandonmentTimeout);
        if (shutdownTimeout.isNegative()) {
            throw new InvalidPropertyException("shutdown-timeout", "is " + shutdownTimeout,
                    "write a duration like 30s, or 0s not to wait");
        }
        if (maxPayloadSize.toBytes() < 1) {
            throw new InvalidPropertyException("max-payload-size", "is " + maxPayloadSize,
                    "write a size like 1MB or 512KB");
        }
        positive("log-retention", logRetention);
        positive("notification-retention", notificationRetention);
        positive("dead-letter-retention", deadLetterRetention);
        ordered("handling.initial-backoff", handling.initialBackoff, handlingMaxBackoffCap,
                "event-queue.handling-max-backoff-cap");
        handlers.forEach((name, overrides) -> overrides.check("handlers." + name));
    }

    /** Fan-out runs where it is enabled, or else where handlers run. */
    public boolean runsFanout() {
        return fanout.enabled != null ? fanout.enabled : handling.enabled;
    }

    /** What handlers inherit that say nothing themselves. */
    RetryPolicy retryPolicy() {
        return new RetryPolicy(handling.maxAttempts, handling.initialBackoff, handlingMaxBackoffCap, handling.jitter,
                handling.unrecoverable);
    }

    private static void positive(String property, @Nullable Duration value) {
        if (value != null && (value.isZero() || value.isNegative())) {
            throw new InvalidPropertyException(property, "is " + value,
                    "write a positive duration like 500ms, 30s, 5m or 7d");
        }
    }

    private static void notNegative(String property, Duration value) {
        if (value.isNegative()) {
            throw new InvalidPropertyException(property, "is " + value, "write a duration like 30s, or 0s for none");
        }
    }

    private static void atLeastOne(String property, @Nullable Integer value) {
        if (value != null && value < 1) {
            throw new InvalidPropertyException(property, "is " + value, "write 1 or more");
        }
    }

    private static void ordered(String property, @Nullable Duration initial, @Nullable Duration cap,
            String capProperty) {
        if (initial != null && cap != null && initial.compareTo(cap) > 0) {
            throw new InvalidPropertyException(property, "is " + initial + ", longer than " + capProperty + " = " + cap,
                    "write a shorter one, or raise the cap");
        }
    }

    /**
     * Fan-out: events to notifications.
     *
     * @param enabled Whether to run the fan-out loop in this process. As
     * event-queue.handling.enabled when not set.
     */
    public record Fanout(@Nullable Boolean enabled) {
    }

    /**
     * Handling: notifications to handlers.
     *
     * @param enabled Whether to run handlers (and, unless disabled, fan-out) in this
     * process.
     * @param concurrency Handlers at a time in this process.
     * @param maxAttempts Attempts before a notification is dead. Unlimited when not set.
     * @param initialBackoff Wait before the second attempt, doubled for each further one.
     * @param jitter Share of a wait, 0 to 1, that is cut at random, so that failures of
     * one moment do not return in one moment.
     * @param unrecoverable Exceptions that no retry can mend: the notification is dead at
     * once.
     */
    public record Handling(@DefaultValue("false") boolean enabled, @DefaultValue("64") int concurrency,
            @Nullable Integer maxAttempts, @DefaultValue("30s") Duration initialBackoff,
            @DefaultValue("0") double jitter, @DefaultValue Set<Class<? extends Throwable>> unrecoverable) {

        public Handling {
            atLeastOne("handling.concurrency", concurrency);
            atLeastOne("handling.max-attempts", maxAttempts);
            positive("handling.initial-backoff", initialBackoff);
            if (jitter < 0 || jitter > 1) {
                throw new InvalidPropertyException("handling.jitter", "is " + jitter, "write 0 to 1, for example 0.2");
            }
        }

    }

    /**
     * What differs for one handler.
     *
     * @param maxAttempts Attempts before a notification is dead.
     * @param initialBackoff Wait before the second attempt, doubled for each further one.
     * @param maxBackoff Longest wait between two attempts.
     * @param unrecoverable Further exceptions that no retry can mend.
     * @param concurrency Invocations at a time in this process.
     * @param timeout How long one attempt may take.
     */
    public record HandlerOverrides(@Nullable Integer maxAttempts, @Nullable Duration initialBackoff,
            @Nullable Duration maxBackoff, @DefaultValue Set<Class<? extends Throwable>> unrecoverable,
            @Nullable Integer concurrency, @Nullable Duration timeout) {

        private void check(String prefix) {
            atLeastOne(prefix + ".max-attempts", maxAttempts);
            positive(prefix + ".initial-backoff", initialBackoff);
            positive(prefix + ".max-backoff", maxBackoff);
            ordered(prefix + ".initial-backoff", initialBackoff, maxBackoff, "its max-backoff");
            atLeastOne(prefix + ".concurrency", concurrency);
            positive(prefix + ".timeout", timeout);
        }

    }

    /**
     * Projections of the event log. They run where handlers run.
     *
     * @param pollDelay Idle wait of a projection that has read the whole log.
     * @param batchSize Events a projection handles in one transaction.
     */
    public record Projections(@DefaultValue("1s") Duration pollDelay, @DefaultValue("100") int batchSize) {

        public Projections {
            positive("projections.poll-delay", pollDelay);
            atLeastOne("projections.batch-size", batchSize);
        }

    }

    /**
     * Publishing.
     *
     * @param requireTransaction Whether to refuse to publish outside a transaction.
     */
    public record Publish(@DefaultValue("false") boolean requireTransaction) {
    }

    /**
     * Tables.
     *
     * @param migrate Whether to create and update the tables at start-up.
     */
    public record Schema(@DefaultValue("true") boolean migrate) {
    }

    /**
     * Metrics.
     *
     * @param interval How often depth and age are read from the database, whatever the
     * scrape interval.
     */
    public record Metrics(@DefaultValue("15s") Duration interval) {

        public Metrics {
            positive("metrics.interval", interval);
        }

    }

    /**
     * Health.
     *
     * @param pendingAgeWarning Age of the oldest open delivery above which the health
     * details say that the queue is behind. The status stays UP.
     */
    public record Health(@DefaultValue("15m") Duration pendingAgeWarning) {

        public Health {
            positive("health.pending-age-warning", pendingAgeWarning);
        }

    }

    /**
     * Worker API over HTTP.
     *
     * @param enabled Whether to serve the worker API. Needs a token or Spring Security.
     * @param basePath Path of the worker API, below the context path.
     * @param token Token that callers send as "Authorization: Bearer". Spring Security
     * has to protect the path when not set.
     * @param lease How long a picked event belongs to its worker without a heartbeat.
     * @param retryDelay Wait from a failure that a worker reports to the next attempt.
     * @param maxWait Longest wait of a long poll.
     * @param maxWaiting Workers that wait at a time; further ones are answered at once.
     * @param pollDelay How often to look for waiting workers when no commit wakes them.
     * @param maxBodySize Largest request body. Twice event-queue.max-payload-size when
     * not set.
     */
    public record Api(@DefaultValue("false") boolean enabled, @DefaultValue("/events") String basePath,
            @Nullable String token, @DefaultValue("30s") Duration lease, @DefaultValue("5m") Duration retryDelay,
            @DefaultValue("30s") Duration maxWait, @DefaultValue("1000") int maxWaiting,
            @DefaultValue("1s") Duration pollDelay, @Nullable DataSize maxBodySize) {

        public Api {
            if (!basePath.matches("(/[A-Za-z0-9._~-]+)+")) {
                throw new InvalidPropertyException("api.base-path", "is \"" + basePath + "\"",
                        "write a path like /events, without a slash at its end");
            }
            if (token != null && token.isBlank()) {
                throw new InvalidPropertyException("api.token", "is blank",
                        "write a long random text, or remove it and let Spring Security protect the path");
            }
            positive("api.lease", lease);
            positive("api.poll-delay", pollDelay);
            notNegative("api.retry-delay", retryDelay);
            notNegative("api.max-wait", maxWait);
            atLeastOne("api.max-waiting", maxWaiting);
            if (maxBodySize != null && (maxBodySize.toBytes() < 1 || maxBodySize.toBytes() >= Integer.MAX_VALUE)) {
                throw new InvalidPropertyException("api.max-body-size", "is " + maxBodySize,
                        "write a size below 2GB, like 2MB");
            }
        }

        /** Leaves the token out: properties are printed. */
        @Override
        public String toString() {
            return "Api[enabled=" + enabled + ", basePath=" + basePath + "]";
        }

    }
}
