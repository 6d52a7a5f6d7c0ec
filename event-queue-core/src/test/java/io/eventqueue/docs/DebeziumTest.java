package io.eventqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.HandlerResult;
import io.eventqueue.PublishOptions;
import io.eventqueue.Shard;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.outbox.TransactionalActionExecutor;
import io.eventqueue.outbox.TransactionalEventQueue;
import io.eventqueue.testsupport.DatabaseServer;
import io.eventqueue.testsupport.EmbeddedPostgreSql;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.MarkdownPage;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Debezium with the configuration its page shows, beside handlers in the application. */
class DebeziumTest {

    private static final int EVENTS = 200;

    record Placed(int number) {
    }

    private final List<SourceRecord> messages = new CopyOnWriteArrayList<>();

    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    private DatabaseServer server;

    private FreshDatabase fresh;

    private JdbcTemplate jdbc;

    private Database database;

    private TransactionalEventQueue queue;

    @BeforeEach
    void startServer() {
        server = EmbeddedPostgreSql.start(Map.of("wal_level", "logical"));
        fresh = server.createDatabase(10);
        jdbc = new JdbcTemplate(fresh.dataSource());
        SchemaMigration.migrate(fresh.dataSource());
        database = Database.of(Shard.of("main", fresh.dataSource()));
        queue = TransactionalEventQueue.eventQueue(database).build();
    }

    @AfterEach
    void stopServer() {
        thread.shutdownNow();
        fresh.close();
        server.close();
    }

    @Test
    void sendsEachEventOnceAndNoStatusUpdate() throws Exception {
        jdbc.execute(block("sql"));
        try (DebeziumEngine<?> engine = engine(properties -> {
        })) {
            thread.execute(engine);
            await().until(this::isStreaming);
            new TransactionalActionExecutor(queue).execute("nothing", Map.of(), context -> null);

            publishAndHandle();
            queue.publish(new Placed(EVENTS), PublishOptions.none().key("last"));

            await().until(() -> keys().contains("last"));
        }
        assertThat(messages).hasSize(EVENTS + 1).allSatisfy(message -> {
            assertThat(message.topic()).isEqualTo("shop.events");
            assertThat(message.headers().lastWithName("event-type").value()).isEqualTo("Placed");
        });
        assertThat(messages.stream().map(message -> message.headers().lastWithName("event-id").value()))
            .doesNotHaveDuplicates()
            .containsExactlyInAnyOrderElementsOf(jdbc.queryForList("""
                    SELECT CAST(id AS text) FROM eventlog.event_log WHERE event_type IS NOT NULL
                    UNION ALL SELECT CAST(id AS text) FROM eventlog.events WHERE event_type IS NOT NULL
                    """, String.class));
        assertThat(messages.stream().map(SourceRecord::value).map(String::valueOf)).first()
            .isEqualTo("{\"number\": 0}");
    }

    /** The router would drop updates by itself, so here it is not there. */
    @Test
    void getsNoStatusUpdateFromThePublication() throws Exception {
        assertThat(operationsAfterHandling(block("sql"), "none")).hasSize(EVENTS + 1).containsOnly("c");
    }

    @Test
    void skipsStatusUpdatesOfAPublicationOfEverything() throws Exception {
        assertThat(operationsAfterHandling("CREATE PUBLICATION event_queue FOR TABLE eventlog.events", "u,d,t"))
            .hasSize(EVENTS + 1)
            .containsOnly("c");
    }

    private List<String> operationsAfterHandling(String publication, String skipped) throws Exception {
        jdbc.execute(publication);
        try (DebeziumEngine<?> engine = engine(properties -> {
            properties.remove("transforms");
            properties.put("skipped.operations", skipped);
        })) {
            thread.execute(engine);
            await().until(this::isStreaming);
            publishAndHandle();
            queue.publish(new Placed(EVENTS));
            await().until(() -> after().stream().anyMatch(DebeziumTest::isLast));
        }
        return messages.stream().map(message -> ((Struct) message.value()).getString("op")).toList();
    }

    private List<Struct> after() {
        return messages.stream().map(message -> ((Struct) message.value()).getStruct("after")).toList();
    }

    private static boolean isLast(Struct row) {
        return row != null && row.getString("payload").contains(" " + EVENTS + "}");
    }

    private boolean isStreaming() {
        return !jdbc.queryForList("SELECT 1 FROM pg_replication_slots WHERE active AND confirmed_flush_lsn IS NOT NULL")
            .isEmpty();
    }

    private List<Object> keys() {
        return messages.stream().map(SourceRecord::key).toList();
    }

    private void publishAndHandle() {
        IntStream.range(0, EVENTS)
            .forEach(i -> queue.publish(new Placed(i), PublishOptions.none().key("key-" + i % 7)));
        EventHandlerRegistry handlers = EventHandlerRegistry.eventHandlerRegistry()
            .withHandler(Placed.class, "one", event -> HandlerResult.success())
            .withHandler(Placed.class, "other", event -> HandlerResult.success())
            .build();
        EventHandlingJob handling = EventHandlingJob.eventHandlingJob()
            .databases(List.of(database))
            .eventHandlerRegistry(handlers)
            .build();
        EventFanoutJob fanout = EventFanoutJob.eventFanoutJob()
            .databases(List.of(database))
            .eventHandlerRegistry(handlers)
            .handlingJob(handling)
            .build();
        while (fanout.drainOneRound() + handling.drainOneRound() > 0) {
            // until nothing is due
        }
        assertThat(jdbc.queryForObject("SELECT count(*) FROM eventlog.event_log", Integer.class)).isEqualTo(EVENTS);
    }

    private DebeziumEngine<?> engine(Consumer<Properties> settings) {
        Properties properties = new Properties();
        properties.putAll(JsonMapper.shared().readValue(block("json"), new TypeReference<Map<String, String>>() {
        }));
        URI address = URI.create(fresh.jdbcUrl().substring("jdbc:".length()));
        properties.put("name", "event-queue");
        properties.put("offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
        properties.put("database.hostname", address.getHost());
        properties.put("database.port", String.valueOf(address.getPort()));
        properties.put("database.dbname", address.getPath().substring(1));
        properties.put("database.user", fresh.user());
        properties.put("database.password", fresh.password());
        properties.put("slot.drop.on.stop", "true");
        settings.accept(properties);
        return DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
            .using(properties)
            .notifying((RecordChangeEvent<SourceRecord> change) -> messages.add(change.record()))
            .build();
    }

    private static String block(String language) {
        return MarkdownPage.of("docs/debezium.md").blocks(language).getFirst();
    }

}
