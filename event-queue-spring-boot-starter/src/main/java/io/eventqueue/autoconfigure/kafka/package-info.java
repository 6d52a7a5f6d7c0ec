/** Auto-configuration of Kafka in and out, off unless enabled. */
@NullMarked
package io.eventqueue.autoconfigure.kafka;

import org.jspecify.annotations.NullMarked;
