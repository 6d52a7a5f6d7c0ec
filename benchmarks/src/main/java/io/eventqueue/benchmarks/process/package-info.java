/** The run's child processes and the lines they exchange. */
@NullMarked
package io.eventqueue.benchmarks.process;

import org.jspecify.annotations.NullMarked;
