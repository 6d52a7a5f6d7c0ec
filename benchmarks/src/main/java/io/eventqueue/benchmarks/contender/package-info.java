/**
 * What is measured: this library, its peers and plain JDBC, each behind
 * {@link io.eventqueue.benchmarks.contender.Contender}.
 */
@NullMarked
package io.eventqueue.benchmarks.contender;

import org.jspecify.annotations.NullMarked;
