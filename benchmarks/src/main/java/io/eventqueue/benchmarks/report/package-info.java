/** Tables, ratios and the chart. */
@NullMarked
package io.eventqueue.benchmarks.report;

import org.jspecify.annotations.NullMarked;
