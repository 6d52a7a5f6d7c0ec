package io.eventqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a bean's method, or a class implementing {@link Handler}, as an event handler. A
 * method takes the event, its {@link EventEnvelope}, or both, and returns nothing or a
 * {@link HandlerResult}.
 */
@Documented
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface EventHandler {

    /**
     * The durable name of the subscription. Derived from class and method when empty,
     * with a warning.
     */
    String name() default "";

    /** Names this handler had before; rows queued under them are handled here. */
    String[] aliases() default {};

    /**
     * Event classes to subscribe to when the parameter is an abstract type whose subtypes
     * cannot be found.
     */
    Class<?>[] types() default {};

    /** Within one event, handlers start in this order, lower first. */
    int priority() default 0;

    /**
     * {@code false}: the engine keeps track of consumed events in
     * {@code consumed_events}.
     */
    boolean idempotent() default true;

    /** {@code true}: the handler and the record of its success share one transaction. */
    boolean transactional() default false;

    /**
     * How long one attempt may take ({@code 30s}, {@code 5m}, {@code PT1M}); empty: as
     * long as it likes.
     */
    String timeout() default "";

    /**
     * Attempts before the delivery is DEAD; 0: as configured for all handlers (unlimited
     * by default).
     */
    int maxAttempts() default 0;

    /** Invocations at a time on one node; 0: only bounded by the node's concurrency. */
    int concurrency() default 0;

    /**
     * {@code true}: events of one key are handled one at a time, in the order they were
     * committed.
     */
    boolean ordered() default false;

    /**
     * Wait before the second attempt ({@code 10s}); empty: as configured for all handlers
     * (30 s by default).
     */
    String initialBackoff() default "";

    /**
     * Longest wait between attempts ({@code 1h}); empty: as configured for all handlers
     * (5 min by default).
     */
    String maxBackoff() default "";

    /** Exceptions that no retry can mend: the delivery is DEAD at once. */
    Class<? extends Throwable>[] unrecoverable() default {};

}
