/** What one JVM does for one phase: load, start, wait, measure. */
@NullMarked
package io.eventqueue.benchmarks.trial;

import org.jspecify.annotations.NullMarked;
