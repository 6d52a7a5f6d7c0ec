package io.eventqueue.outbox;

import org.jspecify.annotations.Nullable;

/** What a worker tells about an attempt; it is kept in the audit. */
public record WorkReport(@Nullable Integer statusCode, @Nullable Long executionTimeMs) {

    public static final WorkReport NONE = new WorkReport(null, null);

}
