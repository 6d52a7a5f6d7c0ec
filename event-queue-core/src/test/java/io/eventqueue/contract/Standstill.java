package io.eventqueue.contract;

import io.eventqueue.Job;
import java.util.concurrent.CountDownLatch;

/** A place in a handler where a job stands still for as long as the test likes. */
final class Standstill {

    private final CountDownLatch reached = new CountDownLatch(1);

    private final CountDownLatch over = new CountDownLatch(1);

    private Thread round;

    /** Called by the handler; only the first time ends the waiting of the test. */
    void here() throws InterruptedException {
        reached.countDown();
        over.await();
    }

    /** Returns when the round of the job has come to {@link #here}. */
    void bring(Job job) throws InterruptedException {
        round = Thread.ofVirtual().start(job::drainOneRound);
        reached.await();
    }

    /** Lets the round go on, and waits for its end. */
    void end() throws InterruptedException {
        over.countDown();
        round.join();
    }

}
