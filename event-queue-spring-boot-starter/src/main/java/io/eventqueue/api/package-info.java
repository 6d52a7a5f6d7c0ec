/**
 * The worker API over HTTP: producers post events, workers anywhere pull them.
 * {@link io.eventqueue.api.WorkerApi} has the routes.
 */
@NullMarked
package io.eventqueue.api;

import org.jspecify.annotations.NullMarked;
