package io.eventqueue;

import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Several shards, and the current transaction does not say which of them the event
 * belongs to.
 */
public class AmbiguousShardException extends EventQueueException {

    private static final long serialVersionUID = 1L;

    /**
     * @param candidates the shards in question
     * @param inTransaction true when all of them take part in the current transaction,
     * false when none does
     */
    public AmbiguousShardException(Collection<Shard> candidates, boolean inTransaction) {
        super((inTransaction ? "The current transaction includes several shards ("
                : "No transaction on a shard is active, and there are several (")
                + candidates.stream().map(Shard::name).collect(Collectors.joining(", "))
                + "), so it is not clear which of them the event belongs to. Publish in a transaction of exactly one"
                + " shard: @Transactional(\"...\") with that shard's transaction manager.");
    }

}
