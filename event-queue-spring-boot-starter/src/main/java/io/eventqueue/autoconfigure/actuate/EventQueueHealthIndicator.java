package io.eventqueue.autoconfigure.actuate;

import io.eventqueue.Job;
import io.eventqueue.autoconfigure.EventQueueProperties;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.jdbc.Backlog;
import io.eventqueue.jdbc.Database;
import io.eventqueue.log.ProjectionJob;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * Down when a shard's database does not answer, or when loops that are enabled here do
 * not run. A backlog is only mentioned: restarting or cutting off nodes would make it
 * longer.
 */
final class EventQueueHealthIndicator extends AbstractHealthIndicator {

    private final EventFanoutJob fanout;

    private final EventHandlingJob handling;

    private final ProjectionJob projections;

    private final EventQueueProperties properties;

    EventQueueHealthIndicator(EventFanoutJob fanout, EventHandlingJob handling, ProjectionJob projections,
            EventQueueProperties properties) {
        super("The health of the event queue could not be found out");
        this.fanout = fanout;
        this.handling = handling;
        this.projections = projections;
        this.properties = properties;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        boolean projecting = properties.handling().enabled() && !projections.names().isEmpty();
        boolean stopped = stopped(properties.runsFanout(), fanout) || stopped(properties.handling().enabled(), handling)
                || stopped(projecting, projections);
        builder.status(stopped ? Status.DOWN : Status.UP);
        builder.withDetail("node", handling.node());
        builder.withDetail("fanout", state(properties.runsFanout(), fanout));
        builder.withDetail("handling", state(properties.handling().enabled(), handling));
        if (!projections.names().isEmpty()) {
            builder.withDetail("projections", state(projecting, projections));
        }
        Map<String, Object> shards = new LinkedHashMap<>();
        for (Database database : handling.databases()) {
            try {
                shards.put(database.shard().name(), describe(database));
            }
            catch (DataAccessException | TransactionException e) {
                builder.down();
                shards.put(database.shard().name(),
                        Map.of("error", NestedExceptionUtils.getMostSpecificCause(e).toString()));
            }
        }
        builder.withDetail("shards", shards);
    }

    private Map<String, Object> describe(Database database) {
        Duration age = new Backlog(database).depth().oldestPendingAge();
        boolean behind = age.compareTo(properties.health().pendingAgeWarning()) > 0;
        return Map.of("oldestPendingAge", age, "behind", behind);
    }

    private static boolean stopped(boolean enabled, Job job) {
        return enabled && !job.isRunning();
    }

    private static String state(boolean enabled, Job job) {
        return job.isRunning() ? "running" : enabled ? "stopped" : "disabled";
    }

}
