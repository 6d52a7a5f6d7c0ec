package io.eventqueue.outbox;

import io.eventqueue.EventConsumer;
import io.eventqueue.EventQueueException;
import io.eventqueue.EventQueueListener;
import io.eventqueue.IncomingEvent;
import io.eventqueue.InvalidIncomingEventException;
import io.eventqueue.jdbc.Database;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.dao.DataIntegrityViolationException;

/**
 * Writes incoming events in few statements. Only when the database refuses them, because
 * somebody else writes the same ids at the same moment or because it cannot store one,
 * are they written again one by one.
 */
public final class TransactionalEventConsumer implements EventConsumer {

    private record Row(int index, NewEvent event) {
    }

    private final Database database;

    private final EventWriter writer;

    private final EventFactory factory;

    private final EventQueueListener listener;

    /** Writes to {@code database}, as {@code queue} would. */
    public TransactionalEventConsumer(Database database, TransactionalEventQueue queue) {
        this.database = database;
        this.writer = new EventWriter(database);
        this.factory = queue.factory();
        this.listener = queue.listener();
    }

    @Override
    public int consume(List<IncomingEvent> events) {
        List<Row> rows = rowsOf(events);
        try {
            return database.inOwnTransaction(() -> published(writer.writeUnlessKnown(eventsOf(rows))));
        }
        catch (DataIntegrityViolationException refused) {
            return database.inOwnTransaction(() -> published(oneByOne(rows)));
        }
    }

    /** The first of several with one id stands for all. */
    private List<Row> rowsOf(List<IncomingEvent> events) {
        Map<UUID, Row> rows = new LinkedHashMap<>();
        for (int i = 0; i < events.size(); i++) {
            try {
                NewEvent event = factory.event(events.get(i).event(), events.get(i).options());
                rows.putIfAbsent(event.id(), new Row(i, event));
            }
            catch (EventQueueException e) {
                throw new InvalidIncomingEventException(i, e);
            }
        }
        return List.copyOf(rows.values());
    }

    private static List<NewEvent> eventsOf(List<Row> rows) {
        return rows.stream().map(Row::event).toList();
    }

    private List<NewEvent> oneByOne(List<Row> rows) {
        List<NewEvent> written = new ArrayList<>();
        for (Row row : rows) {
            try {
                if (writer.writeOnce(row.event())) {
                    written.add(row.event());
                }
            }
            catch (DataIntegrityViolationException e) {
                throw new InvalidIncomingEventException(row.index(), e);
            }
        }
        return written;
    }

    private int published(List<NewEvent> written) {
        AfterCommit afterCommit = AfterCommit.of(database.shard(), listener);
        written.forEach(row -> afterCommit.published(row.type()));
        return written.size();
    }

}
