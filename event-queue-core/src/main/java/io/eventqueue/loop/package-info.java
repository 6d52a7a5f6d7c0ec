/** The one loop every background job runs in: wake, back off, stop. */
@NullMarked
package io.eventqueue.loop;

import org.jspecify.annotations.NullMarked;
