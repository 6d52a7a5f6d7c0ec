package io.eventqueue;

import java.util.ArrayList;
import java.util.List;

/**
 * Starts jobs in the order they were added and stops them in the same order: who feeds
 * others stops first.
 */
public final class JobRegistry implements AutoCloseable {

    private final List<Job> jobs;

    private JobRegistry(List<Job> jobs) {
        this.jobs = List.copyOf(jobs);
    }

    public static Builder jobRegistry() {
        return new Builder();
    }

    public void start() {
        jobs.forEach(Job::start);
    }

    public void stop() {
        jobs.forEach(Job::stop);
    }

    @Override
    public void close() {
        stop();
    }

    /** Collects the jobs. */
    public static final class Builder {

        private final List<Job> jobs = new ArrayList<>();

        private Builder() {
        }

        public Builder withJob(Job job) {
            jobs.add(job);
            return this;
        }

        public JobRegistry build() {
            return new JobRegistry(jobs);
        }

    }

}
