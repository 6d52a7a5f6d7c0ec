/** Actuator: the endpoint {@code eventqueue} and the health indicator. */
@NullMarked
package io.eventqueue.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;
