/** An application that stores its data with JPA. */
@NullMarked
package io.eventqueue.jpa;

import org.jspecify.annotations.NullMarked;
