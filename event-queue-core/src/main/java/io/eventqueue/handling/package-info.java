/** Claiming notifications, running handlers on virtual threads, recording outcomes. */
@NullMarked
package io.eventqueue.handling;

import org.jspecify.annotations.NullMarked;
