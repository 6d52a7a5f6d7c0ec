package io.eventqueue.benchmarks.contender;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.JsonMapper;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;
import org.jspecify.annotations.Nullable;

/**
 * JobRunr OSS. It publishes in a transaction of its own (joining the caller's is not in
 * the OSS edition), and five seconds is the shortest poll it allows on SQL.
 */
final class JobRunrContender implements Contender {

    private static final int WORKERS = 32; // its default on two cores

    private static final Duration POLL_INTERVAL = Duration.ofSeconds(5);

    private final Setup setup;

    private final Database database;

    private final JsonMapper json = new Jackson3JsonMapper();

    private final StorageProvider storage;

    private final JobRequestScheduler scheduler;

    private @Nullable BackgroundJobServer server;

    JobRunrContender(Setup setup) {
        this.setup = setup;
        this.database = setup.database(50);
        storage = new PostgresStorageProvider(database.dataSource());
        storage.setJobMapper(new JobMapper(json));
        scheduler = new JobRequestScheduler(storage, List.of());
    }

    @Override
    public String version() {
        return "8.7.0 OSS";
    }

    @Override
    public String settings() {
        return "JobRequest with Jackson 3, %d workers on virtual threads, poll interval %d s (the minimum on SQL)"
            .formatted(WORKERS, POLL_INTERVAL.toSeconds());
    }

    @Override
    public void truncate() throws SQLException {
        database.execute("TRUNCATE jobrunr_jobs; DELETE FROM jobrunr_backgroundjobservers");
    }

    @Override
    public void publish(String payload) {
        if (setup.handlers() > 1) {
            publishAll(List.of(payload));
        }
        else {
            scheduler.enqueue(new Job(payload));
        }
    }

    @Override
    public void publishAll(List<String> payloads) {
        scheduler.enqueue(Repeated.times(setup.handlers(), payloads).stream().map(Job::new));
    }

    @Override
    public void startWorkers() {
        JobHandler handler = new JobHandler(setup.handler());
        JobActivator activator = new JobActivator() {
            @Override
            public <T> T activateJob(Class<T> type) {
                return type.cast(handler);
            }
        };
        server = new BackgroundJobServer(storage, json, activator,
                BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                    .andPollInterval(POLL_INTERVAL)
                    .andWorkerCount(WORKERS)
                    .andInterruptJobsAwaitDurationOnStopBackgroundJobServer(Duration.ofSeconds(1)));
        server.start();
    }

    @Override
    public void stopWorkers() {
        if (server != null) {
            server.stop();
        }
    }

    @Override
    public long unfinished() throws SQLException {
        return database
            .count("SELECT count(*) FROM jobrunr_jobs WHERE state IN ('ENQUEUED', 'PROCESSING', 'SCHEDULED')");
    }

    /** The stored job; a bean, as JobRunr's mapper wants it. */
    public static final class Job implements JobRequest {

        private String body = "";

        public Job() {
        }

        Job(String body) {
            this.body = body;
        }

        public String getBody() {
            return body;
        }

        public void setBody(String body) {
            this.body = body;
        }

        @Override
        public Class<JobHandler> getJobRequestHandler() {
            return JobHandler.class;
        }

    }

    /** Hands the job to the benchmark's handler. */
    public static final class JobHandler implements JobRequestHandler<Job> {

        private final Consumer<String> handler;

        JobHandler(Consumer<String> handler) {
            this.handler = handler;
        }

        @Override
        public void run(Job job) {
            handler.accept(job.getBody());
        }

    }

}
