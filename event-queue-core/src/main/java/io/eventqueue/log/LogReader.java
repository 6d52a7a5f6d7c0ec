package io.eventqueue.log;

import io.eventqueue.EventLogProjection;
import io.eventqueue.EventQueueListener;
import io.eventqueue.EventSerializer;
import io.eventqueue.ProjectionContext;
import io.eventqueue.ProjectionException;
import io.eventqueue.QueuedEvent;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.EventRows;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Leads one projection along the log of one shard. A batch is one transaction of the
 * application's transaction manager:
 *
 * <ol>
 * <li>lock the projection's row; if another node has it locked, there is nothing to do
 * here;
 * <li>see how long the log is. Positions are in commit order, so everything up to there
 * is visible;
 * <li>give the projection what it wants of the next events, in order;
 * <li>store how far it got.
 * </ol>
 *
 * If the projection throws, all of it is rolled back. The next batch ends before the
 * event it failed on, and the one after that has this event alone: so it gets as far as
 * it can, and an event that fails forever costs one event's work at each try.
 */
final class LogReader {

    private static final Logger log = LoggerFactory.getLogger(LogReader.class);

    /**
     * How many positions one batch looks at, at most, so that a projection that wants
     * little of a long log holds no transaction open for all of it.
     */
    private static final int WINDOW = 10_000;

    private static final long NONE = Long.MAX_VALUE;

    private record Logged(long position, QueuedEvent event) {
    }

    /** What a batch did. */
    private record Batch(long from, long to, long head, int handled, long missed) {
    }

    private record Counter(long head, long pruned) {
    }

    private final Database database;

    private final EventLogProjection projection;

    private final EventRows rows;

    private final EventSerializer serializer;

    private final EventQueueListener listener;

    private final int batchSize;

    private final TransactionTemplate transaction;

    private final JdbcTemplate jdbc;

    /** The position of the event it failed on last, until it gets past that. */
    private volatile long failedAt = NONE;

    private volatile boolean registered;

    LogReader(Database database, EventLogProjection projection, EventSerializer serializer, EventQueueListener listener,
            int batchSize) {
        this.database = database;
        this.projection = projection;
        this.rows = new EventRows(serializer::readHeaders);
        this.serializer = serializer;
        this.listener = listener;
        this.batchSize = batchSize;
        this.transaction = new TransactionTemplate(database.shard().transactionManager());
        this.transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        this.jdbc = new JdbcTemplate(database.shard().dataSource());
    }

    String name() {
        return projection.name();
    }

    boolean reads(Database other) {
        return database == other;
    }

    /**
     * Reads one batch; returns how many positions of the log the projection has moved on,
     * 0 also when another node is at it.
     */
    int readBatch() {
        register();
        Optional<Batch> turn;
        try {
            turn = transaction.execute(status -> readNext());
        }
        catch (RuntimeException e) {
            listener.projectionFailed(shard(), projection.name(), e);
            throw e;
        }
        turn.ifPresent(this::report);
        return turn.map(batch -> Math.clamp(batch.to() - batch.from(), 0, Integer.MAX_VALUE)).orElse(0);
    }

    private void report(Batch batch) {
        if (batch.to() >= failedAt) {
            failedAt = NONE;
        }
        if (batch.missed() > 0) {
            log.warn(
                    "Projection '{}' missed {} positions of the log on {}: retention deleted them before they were"
                            + " read. Its read model is incomplete; see event-queue.log-retention.",
                    projection.name(), batch.missed(), database.shard());
            listener.projectionMissed(shard(), projection.name(), batch.missed());
        }
        listener.projected(shard(), projection.name(), batch.handled(), batch.head() - batch.to());
    }

    private Optional<Batch> readNext() {
        List<Long> locked = database.query(
                "SELECT position FROM {event_projections} WHERE name = :name FOR UPDATE SKIP LOCKED", key(),
                (rs, row) -> rs.getLong(1));
        if (locked.isEmpty()) {
            return Optional.empty();
        }
        long from = locked.getFirst();
        Counter counter = counter();
        Batch batch = counter.head() == from ? new Batch(from, from, from, 0, 0) : readNext(from, counter);
        if (batch.to() > from) {
            Map<String, Object> parameters = key();
            parameters.put("position", batch.to());
            parameters.put("missed", batch.missed());
            database.update("""
                    UPDATE {event_projections} SET position = :position, missed = missed + :missed, updated_at = {now}
                    WHERE name = :name""", parameters);
        }
        return Optional.of(batch);
    }

    private Batch readNext(long from, Counter counter) {
        long end = Math.min(counter.head(), Math.max(from, counter.pruned()) + WINDOW);
        if (from < failedAt && failedAt <= end) {
            end = failedAt - 1 > from ? failedAt - 1 : failedAt;
        }
        List<Logged> next = next(from, end);
        next.forEach(this::apply);
        long to = next.size() == batchSize ? next.getLast().position() : end;
        return new Batch(from, to, counter.head(), next.size(), missed(from, to, next));
    }

    /** Asked after the events were read, so that none can be deleted unnoticed. */
    private long missed(long from, long to, List<Logged> read) {
        long pruned = counter().pruned();
        if (pruned <= from) {
            return 0;
        }
        return Math.min(pruned, to) - from - read.stream().filter(logged -> logged.position() <= pruned).count();
    }

    private List<Logged> next(long from, long end) {
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("from", from);
        parameters.put("end", end);
        parameters.put("limit", batchSize);
        parameters.put("statuses",
                database.dialect()
                    .strings(projection.includesErrors() ? List.of("COMPLETED", "COMPLETED_WITH_ERRORS")
                            : List.of("COMPLETED")));
        String types = "";
        if (!projection.eventTypes().isEmpty()) {
            types = " AND event_type {any:types}";
            parameters.put("types", database.dialect().strings(projection.eventTypes()));
        }
        return database.query(
                "SELECT * FROM {event_log} WHERE position > :from AND position <= :end AND status {any:statuses}"
                        + types + " ORDER BY position LIMIT :limit",
                parameters, (rs, row) -> new Logged(rs.getLong("position"), rows.logged(database.dialect(), rs)));
    }

    private void apply(Logged logged) {
        try {
            projection.handle(logged.event(), context(logged.position()));
        }
        catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            failedAt = logged.position();
            throw new ProjectionException(
                    "Projection '" + projection.name() + "' failed on event " + logged.event().id() + " of type '"
                            + logged.event().eventType() + "' at position " + logged.position() + ": " + e,
                    e);
        }
    }

    /**
     * Empties the read model and starts over; waits for a batch that is under way on
     * another node.
     */
    void reset() {
        register();
        transaction.executeWithoutResult(status -> {
            database.query("SELECT position FROM {event_projections} WHERE name = :name FOR UPDATE", key(),
                    (rs, row) -> row);
            try {
                projection.reset(context(0));
            }
            catch (Exception e) {
                throw new ProjectionException(
                        "Projection '" + projection.name() + "' could not be reset and is as it was: " + e, e);
            }
            database.update("""
                    UPDATE {event_projections} SET position = 0, missed = 0, updated_at = {now} WHERE name = :name""",
                    key());
        });
        failedAt = NONE;
    }

    ProjectionStatus status() {
        register();
        long head = counter().head();
        return database
            .query("SELECT position, missed, updated_at FROM {event_projections} WHERE name = :name", key(),
                    (rs, row) -> new ProjectionStatus(shard(), projection.name(), rs.getLong("position"),
                            Math.max(0, head - rs.getLong("position")), rs.getLong("missed"),
                            database.dialect().instant(rs, "updated_at")))
            .getFirst();
    }

    private void register() {
        if (registered) {
            return;
        }
        if (database.query("SELECT 1 FROM {event_projections} WHERE name = :name", key(), (rs, row) -> row).isEmpty()) {
            try {
                database.inOwnTransaction(() -> database.update("""
                        INSERT INTO {event_projections} (name, position, missed, updated_at)
                        VALUES (:name, 0, 0, {now})""", key()));
            }
            catch (DuplicateKeyException anotherNodeWasFaster) {
                log.debug("Projection '{}' was registered by another node", projection.name());
            }
        }
        registered = true;
    }

    private ProjectionContext context(long position) {
        return new ProjectionContext(shard(), position, jdbc, serializer);
    }

    private Counter counter() {
        return database
            .query("SELECT position, log_pruned_position FROM {event_log_counter} WHERE id = 1", Map.of(),
                    (rs, row) -> new Counter(rs.getLong(1), rs.getLong(2)))
            .getFirst();
    }

    private Map<String, Object> key() {
        return new HashMap<>(Map.of("name", projection.name()));
    }

    private String shard() {
        return database.shard().name();
    }

}
