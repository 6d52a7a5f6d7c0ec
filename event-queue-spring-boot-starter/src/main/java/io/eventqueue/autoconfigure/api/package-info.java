@NullMarked
package io.eventqueue.autoconfigure.api;

import org.jspecify.annotations.NullMarked;
