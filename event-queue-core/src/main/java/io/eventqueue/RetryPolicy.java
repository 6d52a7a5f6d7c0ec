package io.eventqueue;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * When a failed attempt is tried again: {@code initialBackoff x 2^(attempts-1)}, capped
 * at {@code maxBackoff}, until {@code maxAttempts}. A null means "as configured for all
 * handlers".
 *
 * @param jitter share of the wait (0 to 1) that is cut at random, so that failures of one
 * moment do not return in one moment
 */
public record RetryPolicy(@Nullable Integer maxAttempts, @Nullable Duration initialBackoff,
        @Nullable Duration maxBackoff, @Nullable Double jitter, Set<Class<? extends Throwable>> unrecoverable) {

    /** 30 s, doubled up to 5 min, for as long as the retention window lasts. */
    public static final RetryPolicy DEFAULT = new RetryPolicy(Integer.MAX_VALUE, Duration.ofSeconds(30),
            Duration.ofMinutes(5), 0.0, Set.of());

    public RetryPolicy {
        unrecoverable = Set.copyOf(unrecoverable);
        if (maxAttempts != null && maxAttempts < 1) {
            throw new IllegalArgumentException("max-attempts is " + maxAttempts + ": use 1 or more");
        }
        if (initialBackoff != null && initialBackoff.isNegative()) {
            throw new IllegalArgumentException("initial-backoff is negative: " + initialBackoff);
        }
        if (maxBackoff != null && maxBackoff.isNegative()) {
            throw new IllegalArgumentException("the backoff cap is negative: " + maxBackoff);
        }
        if (jitter != null && (jitter < 0 || jitter > 1)) {
            throw new IllegalArgumentException("jitter is " + jitter + ": use 0 to 1");
        }
    }

    /** Everything as configured for all handlers. */
    public static RetryPolicy inherited() {
        return new RetryPolicy(null, null, null, null, Set.of());
    }

    /** This policy with the gaps filled from {@code defaults}. */
    public RetryPolicy orElse(RetryPolicy defaults) {
        Set<Class<? extends Throwable>> all = new LinkedHashSet<>(unrecoverable);
        all.addAll(defaults.unrecoverable);
        return new RetryPolicy(maxAttempts != null ? maxAttempts : defaults.maxAttempts,
                initialBackoff != null ? initialBackoff : defaults.initialBackoff,
                maxBackoff != null ? maxBackoff : defaults.maxBackoff, jitter != null ? jitter : defaults.jitter, all);
    }

    public RetryPolicy withMaxAttempts(int value) {
        return new RetryPolicy(value, initialBackoff, maxBackoff, jitter, unrecoverable);
    }

    public RetryPolicy withBackoff(@Nullable Duration initial, @Nullable Duration cap) {
        return new RetryPolicy(maxAttempts, initial, cap, jitter, unrecoverable);
    }

    public RetryPolicy withJitter(double value) {
        return new RetryPolicy(maxAttempts, initialBackoff, maxBackoff, value, unrecoverable);
    }

    public RetryPolicy withUnrecoverable(Set<Class<? extends Throwable>> types) {
        return new RetryPolicy(maxAttempts, initialBackoff, maxBackoff, jitter, types);
    }

    /** True when {@code attempts} invocations are all there will be. */
    public boolean exhausted(int attempts) {
        return maxAttempts != null && attempts >= maxAttempts;
    }

    /** True when {@code error} ends the delivery at once. */
    public boolean isUnrecoverable(Throwable error) {
        return error instanceof UnrecoverableEventException
                || unrecoverable.stream().anyMatch(type -> type.isInstance(error));
    }

    /** How long to wait after {@code attempts} failed invocations. */
    public Duration backoffAfter(int attempts) {
        Duration initial = initialBackoff != null ? initialBackoff : Duration.ofSeconds(30);
        Duration cap = maxBackoff != null ? maxBackoff : Duration.ofMinutes(5);
        int doublings = Math.min(Math.max(attempts - 1, 0), 30);
        Duration wait = initial.compareTo(cap.dividedBy(1L << doublings)) > 0 ? cap
                : initial.multipliedBy(1L << doublings);
        if (jitter == null || jitter == 0) {
            return wait;
        }
        double kept = 1 - jitter * ThreadLocalRandom.current().nextDouble();
        return Duration.ofNanos((long) (wait.toNanos() * kept));
    }
}
