package io.eventqueue;

import org.springframework.jdbc.core.JdbcOperations;

/** What a projection works with. All of it belongs to the transaction of one batch. */
public final class ProjectionContext {

    private final String shard;

    private final long position;

    private final JdbcOperations jdbc;

    private final EventSerializer serializer;

    public ProjectionContext(String shard, long position, JdbcOperations jdbc, EventSerializer serializer) {
        this.shard = shard;
        this.position = position;
        this.jdbc = jdbc;
        this.serializer = serializer;
    }

    /** The database the event is on; each has a log and positions of its own. */
    public String shard() {
        return shard;
    }

    /** The event's place in the log; 0 during a reset. */
    public long position() {
        return position;
    }

    /** Statements in the transaction that also stores the position. */
    public JdbcOperations jdbc() {
        return jdbc;
    }

    /** Reads an event's payload. */
    public <E> E read(QueuedEvent event, Class<E> eventClass) {
        return eventClass.cast(serializer.read(event.payload(), eventClass));
    }

}
