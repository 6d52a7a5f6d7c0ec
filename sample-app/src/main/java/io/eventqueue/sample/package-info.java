/**
 * A shop: one transaction stores the order and publishes it, three handlers react, a
 * projection counts.
 */
@NullMarked
package io.eventqueue.sample;

import org.jspecify.annotations.NullMarked;
