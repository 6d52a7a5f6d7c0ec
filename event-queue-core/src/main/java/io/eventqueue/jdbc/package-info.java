/**
 * What differs between databases, the schema and row mapping. The only place that knows a
 * database's name.
 */
@NullMarked
package io.eventqueue.jdbc;

import org.jspecify.annotations.NullMarked;
