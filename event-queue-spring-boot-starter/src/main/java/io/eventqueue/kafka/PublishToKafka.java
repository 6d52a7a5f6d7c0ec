package io.eventqueue.kafka;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Events of this class are published to a topic where
 * {@code event-queue.kafka.out.enabled} is true. A route for the type in
 * {@code event-queue.kafka.out.routes} replaces it.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface PublishToKafka {

    String topic();

    /**
     * Where in the payload the record's key is, as a JSON pointer ({@code /orderId});
     * empty: the key the event was published with. Order is kept among events that were
     * published with one key.
     */
    String key() default "";

    /** Headers of every record, each as {@code name=value}. */
    String[] headers() default {};

}
