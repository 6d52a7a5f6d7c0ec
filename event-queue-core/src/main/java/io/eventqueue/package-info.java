/** The public API: publish events, declare handlers, run the engine. */
@NullMarked
package io.eventqueue;

import org.jspecify.annotations.NullMarked;
