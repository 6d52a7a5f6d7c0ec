/** Finished events: finalization into {@code event_log}, retention and projections. */
@NullMarked
package io.eventqueue.log;

import org.jspecify.annotations.NullMarked;
