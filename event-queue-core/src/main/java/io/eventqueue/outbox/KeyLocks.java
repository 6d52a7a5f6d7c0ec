package io.eventqueue.outbox;

import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.Dialect;
import java.util.List;
import java.util.Map;

/**
 * Makes the sequence numbers of events of one key follow the order in which their
 * transactions commit: a publisher draws the number only after it locked the key, and
 * holds the lock until it commits. Only for events that have a key and a type with an
 * ordered handler.
 *
 * <p>
 * Two transactions that publish several keys each, in different order, can block each
 * other. The database ends one of them, as it does for any rows locked in different
 * order.
 */
final class KeyLocks {

    private final Database database;

    KeyLocks(Database database) {
        this.database = database;
    }

    /** Call it in the publisher's transaction, before the events are inserted. */
    void lockKeysOf(List<NewEvent> events) {
        List<NewEvent> keyed = events.stream().filter(event -> event.key() != null && event.type() != null).toList();
        if (keyed.isEmpty()) {
            return;
        }
        Dialect dialect = database.dialect();
        String anOrderedHandler = "EXISTS (SELECT 1 FROM {event_handlers} h WHERE h.event_type {any:types} AND h.ordered = TRUE)";
        database.query(dialect.lockKeys(anOrderedHandler),
                Map.of("locks", dialect.keyLocks(keyed.stream().map(event -> String.valueOf(event.key())).toList()),
                        "types",
                        dialect.strings(keyed.stream().map(event -> String.valueOf(event.type())).distinct().toList())),
                (rs, row) -> row);
    }

}
