package io.eventqueue.autoconfigure;

import io.eventqueue.JobRegistry;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the loops when everything else runs, and stops them before anything else stops:
 * in the last phase, which is after the web server was started and before it is told to
 * shut down gracefully.
 */
final class EventQueueLifecycle implements SmartLifecycle {

    private final JobRegistry jobs;

    private volatile boolean running;

    EventQueueLifecycle(JobRegistry jobs) {
        this.jobs = jobs;
    }

    @Override
    public void start() {
        running = true;
        jobs.start();
    }

    @Override
    public void stop() {
        jobs.stop();
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }

}
