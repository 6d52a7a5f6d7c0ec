package io.eventqueue.autoconfigure.observe;

/** The meters, each with what it says. */
enum EventQueueMeter {

    PUBLISHED("event.queue.published", "Events whose publishing transaction has committed on this node"),
    FANNED_OUT("event.queue.fanned.out", "Notifications this node has made from events"),
    HANDLED("event.queue.handled", "Attempts that ended on this node, by outcome"),
    HANDLER_DURATION("event.queue.handler.duration", "How long handlers ran"),
    DELIVERY_LAG("event.queue.delivery.lag", "From the moment an event was due to the start of its first attempt"),
    IN_FLIGHT("event.queue.in.flight", "Handlers running on this node"),
    DEPTH("event.queue.depth", "Events and notifications in the database by state, counted up to 10000"),
    OLDEST_PENDING_AGE("event.queue.oldest.pending.age", "How long the event or notification due longest has waited"),
    KEYS_BLOCKED("event.queue.keys.blocked", "Keys of an ordered handler that wait for an event that fails"),
    OLDEST_BLOCKED_AGE("event.queue.oldest.blocked.age", "How long the key blocked longest has waited"),
    ABANDONED("event.queue.abandoned", "Deliveries taken over from a node that let its lease end"),
    FENCED_WRITES("event.queue.fenced.writes", "Outcomes refused because another node had taken the delivery over"),
    DEAD("event.queue.dead", "Deliveries given up: unrecoverable, or attempts used up"),
    EXPIRED("event.queue.expired", "Deliveries ended because they were too old or their handler was retired"),
    FINALIZED("event.queue.finalized", "Events moved to the log by this node"),
    WORKED("event.queue.worked", "What workers did with events on this node, by action"),
    API_WAIT("event.queue.api.wait", "Long polls of the worker API, by what they ended with"),
    API_WAITING("event.queue.api.waiting", "Workers waiting in a long poll of this node"),
    PROJECTED("event.queue.projected", "Events that a projection has applied on this node"),
    PROJECTION_FAILURES("event.queue.projection.failures", "Batches of a projection that failed and were rolled back"),
    PROJECTION_MISSED("event.queue.projection.missed", "Positions of the log deleted before a projection read them"),
    PROJECTION_LAG("event.queue.projection.lag", "Positions of the log that a projection has not read yet"),
    ROUND_FAILURES("event.queue.round.failures", "Rounds of a loop that failed, for example without a database");

    private final String meterName;

    private final String description;

    EventQueueMeter(String meterName, String description) {
        this.meterName = meterName;
        this.description = description;
    }

    String meterName() {
        return meterName;
    }

    String description() {
        return description;
    }

}
