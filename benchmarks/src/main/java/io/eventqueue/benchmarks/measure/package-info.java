/** What is counted and how. */
@NullMarked
package io.eventqueue.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
