package io.eventqueue.api;

import io.eventqueue.PublishOptions;
import io.eventqueue.QueuedEvent;
import io.eventqueue.jdbc.Database;
import io.eventqueue.outbox.TransactionalEventQueue;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;
import tools.jackson.databind.util.RawValue;

/** Posting events. */
final class ProducerEndpoints {

    /** Events of this type wait for workers, as long as no handler subscribes to it. */
    static final String EVENT_TYPE = "job";

    private static final RawValue NO_PAYLOAD = new RawValue("{}");

    private final TransactionalEventQueue queue;

    private final List<TransactionTemplate> shards;

    private final WorkerApiSettings settings;

    ProducerEndpoints(TransactionalEventQueue queue, List<Database> databases, WorkerApiSettings settings) {
        this.queue = queue;
        this.shards = databases.stream()
            .map(database -> new TransactionTemplate(database.shard().transactionManager()))
            .toList();
        this.settings = settings;
    }

    ServerResponse create(ServerRequest request) {
        JsonBody body = JsonBody.of(request, settings.maxBodyBytes());
        PublishOptions options = PublishOptions.none()
            .type(EVENT_TYPE)
            .title(body.requiredLine("title", 500))
            .tags(body.requiredTags("tags"));
        Optional<String> description = body.lines("description");
        if (description.isPresent()) {
            options = options.description(description.get());
        }
        @Nullable Integer maxRetries = body.integer("max_retries", 1);
        if (maxRetries != null) {
            options = options.maxRetries(maxRetries);
        }
        Optional<UUID> id = body.uuid("id");
        if (id.isPresent()) {
            options = options.id(id.get());
        }
        RawValue payload = body.present("payload").map(Payload::of).orElse(NO_PAYLOAD);
        QueuedEvent event = publish(payload, options);
        return ApiJson.answer(HttpStatus.CREATED, Views.EventDetails.of(event, null), headers -> headers
            .setLocation(URI.create(new Query(request).prefix() + settings.basePath() + "/" + event.id())));
    }

    /** Reads the event before the commit: afterwards a worker may have it. */
    private QueuedEvent publish(RawValue payload, PublishOptions options) {
        return Objects.requireNonNull(shardFor(options.id()).execute(status -> {
            UUID id = queue.publish(payload, options);
            return queue.find(id).orElseThrow();
        }));
    }

    /** An id that comes again goes to the same shard, where it is known. */
    private TransactionTemplate shardFor(@Nullable UUID id) {
        int number = id == null ? ThreadLocalRandom.current().nextInt(shards.size())
                : Math.floorMod(id.hashCode(), shards.size());
        return shards.get(number);
    }

}
