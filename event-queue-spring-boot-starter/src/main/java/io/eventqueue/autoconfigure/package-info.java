/** Auto-configuration of the queue, its handlers and its loops. */
@NullMarked
package io.eventqueue.autoconfigure;

import org.jspecify.annotations.NullMarked;
