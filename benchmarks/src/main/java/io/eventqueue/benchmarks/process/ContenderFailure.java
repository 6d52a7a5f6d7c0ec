package io.eventqueue.benchmarks.process;

/** A contender could not do what it was asked. The run goes on without it. */
public final class ContenderFailure extends Exception {

    ContenderFailure(String message) {
        super(message);
    }

}
