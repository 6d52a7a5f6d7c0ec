package io.eventqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the event type stored in {@code events.event_type}. Without it the simple name of
 * the class is used, so renaming the class would change the type: give events that
 * outlive a release their name here.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface EventType {

    /** The durable name of the type; not blank, at most 255 characters. */
    String value();

}
