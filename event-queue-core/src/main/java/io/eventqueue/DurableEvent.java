package io.eventqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes Spring's application events durable: an event of this class that is published
 * with {@code ApplicationEventPublisher}, or registered by a Spring Data aggregate, is
 * also written to the outbox, in the same transaction, as by {@link EventQueue#publish}.
 * Spring's own listeners hear of it as before. Without Spring it has no effect.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface DurableEvent {

}
