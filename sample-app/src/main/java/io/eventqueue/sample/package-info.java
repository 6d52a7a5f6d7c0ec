/** A shop: one transaction stores the order and publishes it, three handlers react. */
@NullMarked
package io.eventqueue.sample;

import org.jspecify.annotations.NullMarked;
