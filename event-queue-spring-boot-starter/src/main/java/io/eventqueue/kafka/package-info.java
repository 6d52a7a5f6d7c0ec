/**
 * Events from Kafka and to Kafka. The only package that knows it: handlers see events
 * wherever they came from.
 */
@NullMarked
package io.eventqueue.kafka;

import org.jspecify.annotations.NullMarked;
