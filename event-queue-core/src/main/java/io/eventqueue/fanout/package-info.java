/** From one event to one notification per subscribed handler. */
@NullMarked
package io.eventqueue.fanout;

import org.jspecify.annotations.NullMarked;
