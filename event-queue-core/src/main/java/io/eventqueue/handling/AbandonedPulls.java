package io.eventqueue.handling;

import io.eventqueue.AttemptAction;
import io.eventqueue.EventQueueListener;
import io.eventqueue.EventStatus;
import io.eventqueue.jdbc.Database;
import io.eventqueue.log.AttemptLog;
import io.eventqueue.log.AttemptLog.Line;
import io.eventqueue.log.CurrentTrace;
import io.eventqueue.log.Finalizer;
import io.eventqueue.log.Finalizer.Ended;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Takes events back from workers that let their lease end. That counts as a failed
 * attempt, so an event that kills every worker ends FAILED some day; until then it is due
 * at once, for another worker or for a handler deployed meanwhile.
 */
public final class AbandonedPulls {

    private static final int BATCH = 100;

    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private record Pull(UUID id, String workerId, int attempt, boolean last) {
    }

    private final Database database;

    private final AttemptLog attempts;

    private final Finalizer finalizer;

    private final EventQueueListener listener;

    private @Nullable Long lookedNanos;

    public AbandonedPulls(Database database, EventQueueListener listener) {
        this.database = database;
        this.attempts = new AttemptLog(database, CurrentTrace.NONE);
        this.finalizer = new Finalizer(database);
        this.listener = listener;
    }

    /** Looks every few seconds; not for calls from several threads. */
    public void takeBackWhenDue() {
        if (lookedNanos == null || System.nanoTime() - lookedNanos > INTERVAL.toNanos()) {
            while (takeBack() == BATCH) {
                // there may be more
            }
            lookedNanos = System.nanoTime();
        }
    }

    /** Returns how many were taken back. */
    public int takeBack() {
        List<Pull> taken = database.inOwnTransaction(() -> {
            List<Pull> ended = database.steadyQuery("""
                    SELECT id, worker_id, attempts, retry_count + 1 - max_retries AS beyond
                    FROM {events} {index:events_processing}
                    WHERE status = 'PROCESSING' AND {processing_until} <= {now} AND handler_name IS NULL
                    ORDER BY {processing_until} LIMIT :limit FOR UPDATE SKIP LOCKED
                    """, Map.of("limit", BATCH), true, (rs, row) -> new Pull(database.dialect().id(rs, "id"),
                    rs.getString("worker_id"), rs.getInt("attempts"), rs.getInt("beyond") >= 0));
            if (!ended.isEmpty()) {
                database.update("""
                        UPDATE {events} SET status = 'PENDING', worker_id = NULL, lease_until = NULL,
                            retry_count = retry_count + 1, updated_at = {now}
                        WHERE id {any:ids}""",
                        Map.of("ids", database.dialect().ids(ended.stream().map(Pull::id).toList())));
                ended.forEach(this::record);
            }
            return ended;
        });
        int ended = (int) taken.stream().filter(Pull::last).count();
        if (!taken.isEmpty()) {
            listener.abandonedByWorkers(database.shard().name(), taken.size());
        }
        if (ended > 0) {
            listener.finalized(database.shard().name(), ended);
        }
        return taken.size();
    }

    private void record(Pull pull) {
        String error = "Worker '" + pull.workerId() + "' let its lease end without reporting";
        attempts.write(new Line(pull.id(), pull.workerId(), AttemptAction.FAILED, pull.attempt(), null, null,
                AttemptLog.LEASE_ENDED, error, pull.last() ? null : 0L));
        if (pull.last()) {
            finalizer.finalizePulled(pull.id(), EventStatus.FAILED,
                    new Ended(pull.workerId(), pull.attempt(), List.of(error)));
        }
    }

}
