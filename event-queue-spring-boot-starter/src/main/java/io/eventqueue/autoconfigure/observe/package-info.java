/** Micrometer meters and observations. */
@NullMarked
package io.eventqueue.autoconfigure.observe;

import org.jspecify.annotations.NullMarked;
