/**
 * Measures this library, its peers and plain JDBC on one PostgreSQL; see
 * {@link io.eventqueue.benchmarks.BenchmarkRun}.
 */
@NullMarked
package io.eventqueue.benchmarks;

import org.jspecify.annotations.NullMarked;
