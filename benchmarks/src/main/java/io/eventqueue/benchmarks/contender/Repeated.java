package io.eventqueue.benchmarks.contender;

import java.util.Collections;
import java.util.List;

/**
 * Stands in for fan-out where a library has none: the publisher stores one job for every
 * handler.
 */
final class Repeated {

    private Repeated() {
    }

    static <T> List<T> times(int handlers, List<T> jobs) {
        if (handlers == 1) {
            return jobs;
        }
        return jobs.stream().flatMap(job -> Collections.nCopies(handlers, job).stream()).toList();
    }

}
