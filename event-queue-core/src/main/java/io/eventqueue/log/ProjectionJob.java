package io.eventqueue.log;

import io.eventqueue.EventLogProjection;
import io.eventqueue.EventQueueListener;
import io.eventqueue.EventSerializer;
import io.eventqueue.InvalidProjectionException;
import io.eventqueue.Job;
import io.eventqueue.jdbc.Database;
import io.eventqueue.loop.Loop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps projections up to date, each by a loop of its own on every shard, so that one
 * that fails or is slow holds up no other. Any number of nodes may run it: a projection
 * is worked on by one of them at a time, and the next takes over when that one stops.
 */
public final class ProjectionJob implements Job {

    private final List<LogReader> readers = new ArrayList<>();

    private final List<Loop> loops = new ArrayList<>();

    private final Duration shutdownTimeout;

    private volatile boolean running;

    private ProjectionJob(Builder builder) {
        this.shutdownTimeout = builder.shutdownTimeout;
        for (EventLogProjection projection : builder.projections.values()) {
            for (Database database : builder.databases) {
                LogReader reader = new LogReader(database, projection, builder.serializer, builder.listener,
                        builder.batchSize);
                String loop = "event-queue-projection-" + projection.name() + "-" + database.shard().name();
                readers.add(reader);
                loops.add(new Loop(loop, builder.pollDelay, reader::readBatch,
                        e -> builder.listener.roundFailed(loop, e)));
            }
        }
    }

    public static Builder projectionJob() {
        return new Builder();
    }

    /**
     * Reads one batch for every projection; returns how many positions of the log they
     * have moved on.
     * @throws io.eventqueue.ProjectionException if one failed; the others have had their
     * batch
     */
    @Override
    public int drainOneRound() {
        int moved = 0;
        @Nullable RuntimeException failure = null;
        for (LogReader reader : readers) {
            try {
                moved += reader.readBatch();
            }
            catch (RuntimeException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return moved;
    }

    /** The names of the projections. */
    public List<String> names() {
        return readers.stream().map(LogReader::name).distinct().toList();
    }

    /** How far each projection is, on each shard. */
    public List<ProjectionStatus> status() {
        return readers.stream().map(LogReader::status).toList();
    }

    /** How far each projection is on one shard. */
    public List<ProjectionStatus> status(Database database) {
        return readers.stream().filter(reader -> reader.reads(database)).map(LogReader::status).toList();
    }

    /**
     * Empties a projection's read model and builds it again from the start of the log,
     * which goes back as far as {@code log-retention}. It does not matter which node is
     * asked.
     * @throws IllegalArgumentException if there is no such projection
     */
    public void reset(String projection) {
        List<LogReader> named = readers.stream().filter(reader -> reader.name().equals(projection)).toList();
        if (named.isEmpty()) {
            throw new IllegalArgumentException("There is no projection '" + projection + "'. Known: " + names());
        }
        named.forEach(LogReader::reset);
        loops.forEach(Loop::wake);
    }

    @Override
    public synchronized void start() {
        if (!running) {
            running = true;
            loops.forEach(Loop::start);
        }
    }

    @Override
    public synchronized void stop() {
        if (running) {
            loops.forEach(Loop::requestStop);
            loops.forEach(loop -> loop.join(shutdownTimeout));
            running = false;
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Collects what the job needs; only the databases are required. */
    public static final class Builder {

        private List<Database> databases = List.of();

        private final Map<String, EventLogProjection> projections = new LinkedHashMap<>();

        private EventSerializer serializer = EventSerializer.standard();

        private EventQueueListener listener = EventQueueListener.NONE;

        private Duration pollDelay = Duration.ofSeconds(1);

        private Duration shutdownTimeout = Duration.ofSeconds(30);

        private int batchSize = 100;

        private Builder() {
        }

        public Builder databases(List<Database> value) {
            this.databases = List.copyOf(value);
            return this;
        }

        public Builder projections(Collection<? extends EventLogProjection> more) {
            more.forEach(this::projection);
            return this;
        }

        /**
         * Adds a projection.
         * @throws InvalidProjectionException if its name is blank, too long or taken
         */
        public Builder projection(EventLogProjection projection) {
            String name = projection.name();
            if (name.isBlank() || name.length() > 255) {
                throw new InvalidProjectionException("The name of projection " + projection.getClass().getName()
                        + " is '" + name + "'. Its position is stored under it: use 1 to 255 characters.");
            }
            EventLogProjection other = projections.putIfAbsent(name, projection);
            if (other != null) {
                throw new InvalidProjectionException("Two projections have the name '" + name + "': "
                        + other.getClass().getName() + " and " + projection.getClass().getName()
                        + ". They would share one position: rename one of them.");
            }
            return this;
        }

        public Builder serializer(EventSerializer value) {
            this.serializer = value;
            return this;
        }

        public Builder listener(EventQueueListener value) {
            this.listener = value;
            return this;
        }

        /** How long a loop waits that found nothing new. */
        public Builder pollDelay(Duration value) {
            this.pollDelay = value;
            return this;
        }

        /** How long {@link #stop()} waits for a batch before it interrupts it. */
        public Builder shutdownTimeout(Duration value) {
            this.shutdownTimeout = value;
            return this;
        }

        /** Events in one transaction. */
        public Builder batchSize(int value) {
            this.batchSize = value;
            return this;
        }

        public ProjectionJob build() {
            if (databases.isEmpty()) {
                throw new IllegalArgumentException("ProjectionJob needs at least one database");
            }
            if (batchSize < 1) {
                throw new IllegalArgumentException("The batch size of projections is " + batchSize + ": use 1 or more");
            }
            return new ProjectionJob(this);
        }

    }

}
