package io.eventqueue.outbox;

import io.eventqueue.ActionContext;
import io.eventqueue.AggregateRoot;
import io.eventqueue.AmbiguousShardException;
import io.eventqueue.EventInterceptor;
import io.eventqueue.EventQueue;
import io.eventqueue.EventQueueListener;
import io.eventqueue.EventSerializer;
import io.eventqueue.EventStatus;
import io.eventqueue.Notification;
import io.eventqueue.PublishOptions;
import io.eventqueue.QueuedEvent;
import io.eventqueue.Shard;
import io.eventqueue.TransactionRequiredException;
import io.eventqueue.handling.NodeId;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.EventRows;
import io.eventqueue.loop.Handover;
import io.eventqueue.loop.Handover.Offer;
import io.eventqueue.log.CurrentTrace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Publishes in the caller's transaction:
 *
 * <ol>
 * <li>the event is checked and serialized;
 * <li>the shard is the only one there is, or the one whose DataSource takes part in the
 * current transaction; when that names none or several of many, the event is refused;
 * <li>the rows are inserted with that transaction's connection, or in a transaction of
 * their own;
 * <li>after the commit, and only then, the loops are woken.
 * </ol>
 */
public final class TransactionalEventQueue implements EventQueue {

    /** In one call. More are sooner fanned out together. */
    private static final int MOST_HANDED_OVER = 10;

    private static final Logger log = LoggerFactory.getLogger(TransactionalEventQueue.class);

    private final List<Database> databases;

    private final Map<Shard, EventWriter> writers = new LinkedHashMap<>();

    private final Map<Shard, TransactionTemplate> transactions = new LinkedHashMap<>();

    private final EventFactory factory;

    private final EventRows rows;

    private final EventQueueListener listener;

    private final boolean requireTransaction;

    private final EventSerializer serializer;

    private final PullQueue pullQueue;

    private final HeldClaims held = new HeldClaims();

    private final String workerId = NodeId.next();

    private final Duration lease;

    private final AtomicBoolean warned = new AtomicBoolean();

    private TransactionalEventQueue(Builder builder) {
        this.databases = List.copyOf(builder.databases);
        for (Database database : databases) {
            writers.put(database.shard(), new EventWriter(database));
            transactions.put(database.shard(), new TransactionTemplate(database.shard().transactionManager()));
        }
        this.factory = new EventFactory(builder.serializer, builder.interceptors, builder.namespace);
        this.rows = new EventRows(builder.serializer::readHeaders);
        this.listener = builder.listener;
        this.requireTransaction = builder.requireTransaction;
        this.serializer = builder.serializer;
        this.pullQueue = new PullQueue(databases, rows, listener, new CurrentTrace(builder.interceptors),
                builder.retentionWindow);
        this.lease = builder.abandonmentTimeout;
    }

    public static Builder eventQueue(Database... databases) {
        return new Builder(List.of(databases));
    }

    public static Builder eventQueue(List<Database> databases) {
        return new Builder(databases);
    }

    @Override
    public UUID publish(Object event) {
        return publish(event, PublishOptions.none());
    }

    @Override
    public UUID publish(Object event, PublishOptions options) {
        NewEvent row = factory.event(event, options);
        inTransaction(shard -> {
            if (row.idChosenByCaller()) {
                return writer(shard).writeOnce(row) ? List.of(row) : List.of();
            }
            return write(shard, List.of(row));
        });
        return row.id();
    }

    @Override
    public List<UUID> publishAll(Collection<?> events) {
        return publishAll(events, factory.publishAction(factory.nextId()));
    }

    @Override
    public List<UUID> publishAll(AggregateRoot aggregate) {
        List<UUID> ids = new ArrayList<>();
        inTransaction(shard -> {
            List<NewEvent> written = write(shard,
                    rowsOf(aggregate.raisedEvents(), factory.publishAction(factory.nextId())));
            written.forEach(row -> ids.add(row.id()));
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    aggregate.clearRaisedEvents();
                }
            });
            return written;
        });
        return ids;
    }

    List<UUID> publishAll(Collection<?> events, ActionContext action) {
        List<NewEvent> written = rowsOf(events, action);
        inTransaction(shard -> write(shard, written));
        return written.stream().map(NewEvent::id).toList();
    }

    void publishSentinel(ActionContext action) {
        inTransaction(shard -> {
            writer(shard).write(List.of(factory.sentinel(action)));
            return List.of();
        });
    }

    EventFactory factory() {
        return factory;
    }

    EventQueueListener listener() {
        return listener;
    }

    private List<NewEvent> rowsOf(Collection<?> events, ActionContext action) {
        List<NewEvent> written = new ArrayList<>(events.size());
        for (Object event : events) {
            written.add(factory.event(event, PublishOptions.none(), factory.nextId(), action));
        }
        return written;
    }

    @Override
    public Optional<QueuedEvent> find(UUID id) {
        return databases.stream().map(database -> rows.find(database, id)).flatMap(Optional::stream).findFirst();
    }

    @Override
    public List<Notification> notifications(UUID eventId) {
        return databases.stream().flatMap(database -> EventRows.notifications(database, eventId).stream()).toList();
    }

    /** All that workers can do, for those who need more than {@link EventQueue} shows. */
    public PullQueue pullQueue() {
        return pullQueue;
    }

    @Override
    public Optional<QueuedEvent> poll() {
        return poll(Set.of(), workerId);
    }

    @Override
    public Optional<QueuedEvent> poll(Set<String> tags, String worker) {
        return pollBatch(tags, worker, 1).stream().findFirst();
    }

    @Override
    public List<QueuedEvent> pollBatch(Set<String> tags, String worker, int max) {
        List<QueuedEvent> polled = pullQueue.poll(new PollRequest(tags, worker, max, lease));
        polled.forEach(held::add);
        return polled;
    }

    @Override
    public <E> E read(QueuedEvent event, Class<E> eventClass) {
        return eventClass.cast(serializer.read(event.payload(), eventClass));
    }

    @Override
    public void finalizeEvent(QueuedEvent polled, Collection<String> errors) {
        pullQueue.finalizeUnlessDone(WorkerClaim.of(polled), errors);
    }

    @Override
    public void finalizeEvent(UUID id, Collection<String> errors) {
        WorkerClaim claim = held.get(id);
        pullQueue.finalizeUnlessDone(claim != null ? claim : new WorkerClaim(id, workerId, null), errors);
    }

    @Override
    public EventStatus retry(QueuedEvent polled, String error, Duration delay) {
        return pullQueue.fail(WorkerClaim.of(polled), error, delay, WorkReport.NONE).retryScheduled()
                ? EventStatus.PENDING : EventStatus.FAILED;
    }

    @Override
    public void release(QueuedEvent polled, Duration delay) {
        pullQueue.release(WorkerClaim.of(polled), delay);
    }

    @Override
    public Instant heartbeat(QueuedEvent polled) {
        return pullQueue.heartbeat(WorkerClaim.of(polled), lease);
    }

    private interface Write {

        List<NewEvent> into(Shard shard);

    }

    private void inTransaction(Write write) {
        Shard shard = currentShard();
        boolean callerHasTransaction = TransactionSynchronizationManager.isActualTransactionActive();
        if (requireTransaction && !callerHasTransaction) {
            throw new TransactionRequiredException(
                    "publish() was called outside a transaction, so the event could exist"
                            + " without the data it is about. Annotate the calling method with @Transactional,"
                            + " or set event-queue.publish.require-transaction=false.");
        }
        template(shard).executeWithoutResult(status -> {
            if (callerHasTransaction && status.isNewTransaction() && warned.compareAndSet(false, true)) {
                log.warn("publish() was called in a transaction that does not include {}: the event commits on its own,"
                        + " also if that transaction rolls back. Use one transaction manager for both.", shard);
            }
            List<NewEvent> written = write.into(shard);
            AfterCommit afterCommit = AfterCommit.of(shard, listener);
            written.forEach(row -> afterCommit.published(row.type()));
        });
    }

    /** Few events are handed over, if this node will handle them at once. */
    private List<NewEvent> write(Shard shard, List<NewEvent> events) {
        Handover handover = shard.signals().handover();
        List<Offer> offers = handover == null || events.size() > MOST_HANDED_OVER ? List.of()
                : offersFor(events, handover);
        if (handover == null || events.isEmpty() || offers.size() < events.size()) {
            writer(shard).write(events);
        }
        else {
            AfterCommit.of(shard, listener).handOver(handover, writer(shard).write(events, offers));
        }
        return events;
    }

    private static List<Offer> offersFor(List<NewEvent> events, Handover handover) {
        return events.stream()
            .filter(event -> event.tags().isEmpty() && event.delay().isZero())
            .flatMap(event -> Stream.ofNullable(event.type()))
            .flatMap(type -> Stream.ofNullable(handover.offerFor(type)))
            .toList();
    }

    private TransactionTemplate template(Shard shard) {
        return java.util.Objects.requireNonNull(transactions.get(shard));
    }

    private EventWriter writer(Shard shard) {
        return java.util.Objects.requireNonNull(writers.get(shard));
    }

    Shard currentShard() {
        if (databases.size() == 1) {
            return databases.getFirst().shard();
        }
        List<Shard> taking = databases.stream()
            .map(Database::shard)
            .filter(shard -> TransactionSynchronizationManager.hasResource(shard.dataSource()))
            .toList();
        if (taking.size() != 1) {
            throw new AmbiguousShardException(taking.isEmpty() ? List.copyOf(writers.keySet()) : taking,
                    !taking.isEmpty());
        }
        return taking.getFirst();
    }

    /** Collects what a queue needs; only the databases are required. */
    public static final class Builder {

        private final List<Database> databases;

        private EventSerializer serializer = EventSerializer.standard();

        private final List<EventInterceptor> interceptors = new ArrayList<>();

        private String namespace = "default";

        private EventQueueListener listener = EventQueueListener.NONE;

        private boolean requireTransaction;

        private Duration abandonmentTimeout = Duration.ofMinutes(1);

        private Duration retentionWindow = Duration.ofDays(7);

        private Builder(List<Database> databases) {
            if (databases.isEmpty()) {
                throw new IllegalArgumentException("An event queue needs at least one database");
            }
            this.databases = List.copyOf(databases);
        }

        public Builder serializer(EventSerializer value) {
            this.serializer = value;
            return this;
        }

        public Builder interceptors(Collection<? extends EventInterceptor> more) {
            interceptors.addAll(more);
            return this;
        }

        public Builder namespace(String value) {
            this.namespace = value;
            return this;
        }

        public Builder listener(EventQueueListener value) {
            this.listener = value;
            return this;
        }

        /** Refuse to publish outside a transaction. */
        public Builder requireTransaction(boolean value) {
            this.requireTransaction = value;
            return this;
        }

        /** How long a polled event stays claimed without a heartbeat. */
        public Builder abandonmentTimeout(Duration value) {
            this.abandonmentTimeout = value;
            return this;
        }

        /**
         * How long a subscription lasts after the last node that has it was seen; until
         * then its events are not polled. The same as for fan-out.
         */
        public Builder retentionWindow(Duration value) {
            this.retentionWindow = value;
            return this;
        }

        public Builder apply(Consumer<Builder> customizer) {
            customizer.accept(this);
            return this;
        }

        public TransactionalEventQueue build() {
            return new TransactionalEventQueue(this);
        }

    }

}
