/**
 * Publishing into {@code events}, and pulling from it: the first step of an event's way.
 */
@NullMarked
package io.eventqueue.outbox;

import org.jspecify.annotations.NullMarked;
