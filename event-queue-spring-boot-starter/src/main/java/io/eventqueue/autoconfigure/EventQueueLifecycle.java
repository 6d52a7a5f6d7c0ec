package io.eventqueue.autoconfigure;

import io.eventqueue.JobRegistry;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the loops when the application is ready, that is after its runners, and stops
 * them before anything else stops: in the last phase, which is before the web server is
 * told to shut down gracefully. A context that was not started by SpringApplication is
 * never announced as ready; there, and when a context is started again, the last phase of
 * its start has to do.
 */
final class EventQueueLifecycle implements SmartLifecycle, ApplicationListener<ApplicationReadyEvent> {

    /** Registered by SpringApplication before the context is refreshed. */
    private static final String STARTED_BY_SPRING_APPLICATION = "springApplicationArguments";

    private final JobRegistry jobs;

    private final ApplicationContext context;

    private boolean waitsForReady;

    private volatile boolean running;

    EventQueueLifecycle(JobRegistry jobs, ApplicationContext context) {
        this.jobs = jobs;
        this.context = context;
        this.waitsForReady = context.containsLocalBean(STARTED_BY_SPRING_APPLICATION);
    }

    @Override
    public synchronized void start() {
        running = true;
        if (!waitsForReady) {
            jobs.start();
        }
    }

    @Override
    public synchronized void onApplicationEvent(ApplicationReadyEvent event) {
        if (event.getApplicationContext() == context && waitsForReady) {
            waitsForReady = false;
            if (running) {
                jobs.start();
            }
        }
    }

    @Override
    public synchronized void stop() {
        running = false;
        jobs.stop();
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
