package io.eventqueue.handling;

import io.eventqueue.jdbc.Database;
import io.eventqueue.log.Finalizer;
import io.eventqueue.loop.Signals.Signal;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Lets the handlers of one event start in the order of their priority:
 *
 * <ol>
 * <li>fan-out makes the notifications of later priorities WAITING, and sets {@code holds}
 * on those that others wait for;
 * <li>when an attempt of a holding one ends, in whatever way, {@code holds} is cleared in
 * the same transaction, and what nobody holds any more becomes PENDING. The event is
 * locked meanwhile, so of two that end at the same time the second sees the first;
 * <li>a lease that ended counts as the end of the attempt;
 * <li>a handler that is paused, or that no node has any more, holds nobody: maintenance
 * looks for those.
 * </ol>
 *
 * Events whose handlers have all the same priority see nothing of this.
 */
public final class Precedence {

    /** Micros, negative: a subscription not refreshed for this long has no node. */
    public static final long FRESH_MICROS = -Subscriptions.FRESH.toNanos() / 1000;

    /** There is a node that handles subscription {@code h}, now. */
    public static final String ATTENDED = "h.paused = FALSE AND h.last_seen > {now+:fresh}";

    private static final int BATCH = 500;

    private static final int BATCHES = 20;

    private final Database database;

    private final Finalizer finalizer;

    Precedence(Database database) {
        this.database = database;
        this.finalizer = new Finalizer(database);
    }

    /**
     * The attempts of these notifications have ended. Call it in the transaction that
     * says so, with their events locked.
     * @return how many others may start now
     */
    int attemptEnded(Collection<UUID> holding, Collection<UUID> events) {
        database.update("UPDATE {event_notifications} SET holds = FALSE WHERE id {any:ids}",
                Map.of("ids", database.dialect().ids(holding)));
        return release(events);
    }

    /** The nodes that held these claims are gone, and with them their attempts. */
    void abandoned(Collection<Claim> claims) {
        List<Claim> holding = claims.stream().filter(claim -> claim.holds() && claim.abandonedBy() != null).toList();
        if (holding.isEmpty()) {
            return;
        }
        List<UUID> events = holding.stream().map(Claim::eventId).distinct().sorted().toList();
        int released = database.inOwnTransaction(() -> {
            finalizer.lock(events);
            return attemptEnded(holding.stream().map(Claim::id).toList(), events);
        });
        signal(released);
    }

    /** Starts what waits for handlers that nobody attends to; returns how many. */
    int releaseUnattended() {
        List<String> names = database.query("""
                SELECT DISTINCT h.handler_name FROM {event_handlers} h WHERE NOT (%s) AND EXISTS (
                    SELECT 1 FROM {event_handlers} o WHERE o.event_type = h.event_type AND o.priority > h.priority)"""
            .formatted(ATTENDED), Map.of("fresh", FRESH_MICROS), (rs, row) -> rs.getString(1));
        List<UUID> waiting = names.isEmpty() ? List.of() : eventsWaitingLongest();
        int released = 0;
        for (int from = 0; from < waiting.size(); from += BATCH) {
            List<UUID> events = waiting.subList(from, Math.min(waiting.size(), from + BATCH));
            released += database.inOwnTransaction(() -> letPass(names, events));
        }
        signal(released);
        return released;
    }

    private List<UUID> eventsWaitingLongest() {
        return database
            .query("""
                    SELECT event_id FROM {event_notifications} {index:event_notifications_open}
                    WHERE state = 'WAITING' AND {open_since} IS NOT NULL ORDER BY {open_since} LIMIT :limit""",
                    Map.of("limit", BATCHES * BATCH), (rs, row) -> database.dialect().id(rs, "event_id"))
            .stream()
            .distinct()
            .sorted()
            .toList();
    }

    private int letPass(List<String> names, List<UUID> events) {
        finalizer.lock(events);
        Map<String, Object> parameters = new HashMap<>();
        parameters.put("names", database.dialect().strings(names));
        parameters.put("events", database.dialect().ids(events));
        int passed = database.update("""
                UPDATE {event_notifications} SET holds = FALSE
                WHERE event_id {any:events} AND handler_name {any:names} AND holds = TRUE AND owner IS NULL""",
                parameters);
        return passed == 0 ? 0 : release(events);
    }

    /** Starts what nobody holds any more. */
    int release(Collection<UUID> events) {
        List<UUID> free = database.query("""
                SELECT w.id FROM {event_notifications} w
                WHERE w.event_id {any:events} AND w.state = 'WAITING' AND NOT EXISTS (
                    SELECT 1 FROM {event_notifications} b WHERE b.event_id = w.event_id AND b.holds = TRUE
                        AND b.priority < w.priority AND b.state IN ('PENDING', 'WAITING'))
                ORDER BY w.id""", Map.of("events", database.dialect().ids(events)),
                (rs, row) -> database.dialect().id(rs, "id"));
        return free.isEmpty() ? 0 : database.update("""
                UPDATE {event_notifications} SET state = 'PENDING', next_retry_at = {now}, updated_date = {now}
                WHERE id {any:ids} AND state = 'WAITING'""", Map.of("ids", database.dialect().ids(free)));
    }

    private void signal(int released) {
        if (released > 0) {
            database.shard().signals().raise(Signal.NOTIFICATIONS);
        }
    }

}
