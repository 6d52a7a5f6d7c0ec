package io.eventqueue.log;

import java.time.Instant;

/**
 * How far a projection is on one shard.
 *
 * @param position the last position it has read
 * @param lag how many positions of the log it has not read yet
 * @param missed how many positions were pruned from the log before it came to them, since
 * its last reset: if not zero, the read model is incomplete
 * @param updatedAt when it last moved
 */
public record ProjectionStatus(String shard, String projection, long position, long lag, long missed,
        Instant updatedAt) {
}
