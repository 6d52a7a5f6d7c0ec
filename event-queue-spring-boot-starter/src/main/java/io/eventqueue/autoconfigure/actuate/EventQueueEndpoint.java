package io.eventqueue.autoconfigure.actuate;

import io.eventqueue.DeadLetterFilter;
import io.eventqueue.DeadLetters;
import io.eventqueue.Job;
import io.eventqueue.autoconfigure.actuate.HandlerOperations.HandlerDescription;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.jdbc.Backlog;
import io.eventqueue.jdbc.Backlog.Depth;
import io.eventqueue.log.ProjectionJob;
import io.eventqueue.log.ProjectionStatus;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Shows the queue, its handlers, dead letters and projections, and lets an operator act
 * on them:
 *
 * <pre>
 * read                                       summary
 * read  handlers | projections               all
 * read  dead-letters                         by filter, limit, and after: the next of the page before
 * read  handlers/{name} | dead-letters/{id}  one
 * read  projections/{name}                   one, on every shard
 * write handlers/{name}                      action = pause | resume | retire
 * write projections/{name}                   action = reset
 * write dead-letters/{id}                    action = replay | discard
 * write dead-letters                         the same for many: by filter, or all = true
 * </pre>
 *
 * A filter is any of handler, eventType, error, state, since and until.
 *
 * Payloads are never shown.
 */
@Endpoint(id = "eventqueue")
public final class EventQueueEndpoint {

    static final String HANDLERS = "handlers";

    static final String DEAD_LETTERS = "dead-letters";

    static final String PROJECTIONS = "projections";

    /** Who acted, where nobody is known by name. */
    static final String ANONYMOUS = "actuator";

    /** The queue as this node sees it. */
    record Summary(String node, Map<String, Boolean> running, int inFlight, List<ShardSummary> shards) {
    }

    /** One shard; counts stop at {@code countedUpTo}. */
    record ShardSummary(String shard, Depth depth, int countedUpTo) {
    }

    private final EventFanoutJob fanout;

    private final EventHandlingJob handling;

    private final HandlerOperations handlers;

    private final ProjectionJob projectionJob;

    private final DeadLetterOperations deadLetters;

    private final ProjectionOperations projections;

    EventQueueEndpoint(EventFanoutJob fanout, EventHandlingJob handling, ProjectionJob projectionJob,
            DeadLetters deadLetters) {
        this.fanout = fanout;
        this.handling = handling;
        this.handlers = new HandlerOperations(handling.databases());
        this.projectionJob = projectionJob;
        this.deadLetters = new DeadLetterOperations(deadLetters);
        this.projections = new ProjectionOperations(projectionJob);
    }

    @ReadOperation
    public Object summary() {
        List<ShardSummary> shards = handling.databases()
            .stream()
            .map(database -> new ShardSummary(database.shard().name(), new Backlog(database).depth(), Backlog.LIMIT))
            .toList();
        return new Summary(handling.node(),
                Map.of("fanout", running(fanout), "handling", running(handling), PROJECTIONS, running(projectionJob)),
                handling.inFlight(), shards);
    }

    private static boolean running(Job job) {
        return job.isRunning();
    }

    @ReadOperation
    public @Nullable Object section(@Selector String section, @Nullable String handler, @Nullable String eventType,
            @Nullable String error, @Nullable String state, @Nullable String since, @Nullable String until,
            @Nullable String after, @Nullable Integer limit) {
        return switch (section) {
            case HANDLERS -> Map.of(HANDLERS, handlers.list());
            case PROJECTIONS -> Map.of(PROJECTIONS, projections.list());
            case DEAD_LETTERS -> deadLetters
                .list(DeadLetterOperations.filter(handler, eventType, error, state, since, until), after, limit);
            default -> null;
        };
    }

    @ReadOperation
    public @Nullable Object entry(@Selector String section, @Selector String name) {
        return switch (section) {
            case HANDLERS -> {
                List<HandlerDescription> found = handlers.find(name);
                yield found.isEmpty() ? null : Map.of(HANDLERS, found);
            }
            case PROJECTIONS -> {
                List<ProjectionStatus> found = projections.find(name);
                yield found.isEmpty() ? null : Map.of(PROJECTIONS, found);
            }
            case DEAD_LETTERS -> deadLetters.find(name).orElse(null);
            default -> null;
        };
    }

    @WriteOperation
    public @Nullable Object act(@Selector String section, @Selector String name, String action) {
        return act(section, name, action, ANONYMOUS);
    }

    @WriteOperation
    public @Nullable Object actOnMany(@Selector String section, String action, @Nullable String handler,
            @Nullable String eventType, @Nullable String error, @Nullable String state, @Nullable String since,
            @Nullable String until, @Nullable Boolean all) {
        return actOnMany(section, action, DeadLetterOperations.filter(handler, eventType, error, state, since, until),
                all, ANONYMOUS);
    }

    /** Null: there is no such thing. */
    @Nullable Object act(String section, String name, String action, String by) {
        return switch (section) {
            case HANDLERS -> handlers.act(name, action) ? HandlerOperations.done(name, action) : null;
            case PROJECTIONS -> projections.act(name, action) ? Map.of("projection", name, "action", action) : null;
            case DEAD_LETTERS -> deadLetters.act(name, action, by) ? Map.of("id", name, "action", action) : null;
            default -> null;
        };
    }

    @Nullable Object actOnMany(String section, String action, DeadLetterFilter which, @Nullable Boolean all, String by) {
        if (!section.equals(DEAD_LETTERS)) {
            return null;
        }
        int done = deadLetters.actOnMany(action, which, Objects.equals(all, true), by);
        return Map.of("action", action, "deadLetters", done);
    }

}
