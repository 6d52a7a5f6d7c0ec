package io.eventqueue.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventHandler;
import io.eventqueue.EventLogProjection;
import io.eventqueue.EventQueue;
import io.eventqueue.EventStatus;
import io.eventqueue.ProjectionContext;
import io.eventqueue.QueuedEvent;
import io.eventqueue.UnrecoverableEventException;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.log.ProjectionJob;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = { "spring.datasource.url=jdbc:h2:mem:endpoint;DB_CLOSE_DELAY=-1",
                "management.endpoints.web.exposure.include=*", "management.endpoint.health.show-details=always",
                "event-queue.handling-poll-delay=50ms" })
class EventQueueEndpointHttpTests {

    private final HttpClient http = HttpClient.newHttpClient();

    @LocalServerPort
    private int port;

    @Autowired
    private EventQueue queue;

    @Autowired
    private EventFanoutJob fanout;

    @Autowired
    private EventHandlingJob handling;

    @Autowired
    private ProjectionJob projections;

    @Autowired
    private OrdersPerCustomer orders;

    @Autowired
    private Handlers handlers;

    @Autowired
    private JdbcTemplate jdbc;

    @BeforeEach
    void clean() {
        for (String table : List.of("events", "event_notifications", "event_log", "event_attempts", "event_handlers")) {
            jdbc.update("DELETE FROM eventlog." + table);
        }
        handlers.broken = true;
        handlers.calls.clear();
        // Subscriptions are written once a minute; the table has just been emptied.
        jdbc.update("""
                INSERT INTO eventlog.event_handlers (handler_name, event_type, priority, paused, retired, last_seen)
                VALUES ('mail', 'Placed', 0, FALSE, FALSE, CURRENT_TIMESTAMP),
                    ('index', 'Placed', 0, FALSE, FALSE, CURRENT_TIMESTAMP)""");
    }

    @Test
    void summaryShowsEveryShard() throws Exception {
        queue.publish(new Placed("A-1"));

        JsonNode summary = get("", 200);

        assertThat(summary.at("/node").asString()).isEqualTo(handling.node());
        assertThat(summary.at("/running/fanout").asBoolean()).isFalse();
        assertThat(summary.at("/running/handling").asBoolean()).isFalse();
        assertThat(summary.at("/inFlight").asInt()).isZero();
        JsonNode shard = summary.at("/shards/0");
        assertThat(shard.at("/shard").asString()).isEqualTo("default");
        assertThat(shard.at("/depth/events/PENDING").asInt()).isEqualTo(1);
        assertThat(shard.at("/depth/notifications/DEAD").asInt()).isZero();
        assertThat(Duration.parse(shard.at("/depth/oldestPendingAge").asString()))
            .isGreaterThanOrEqualTo(Duration.ZERO);
        assertThat(shard.at("/countedUpTo").asInt()).isEqualTo(10_000);
    }

    @Test
    void pausesAndResumesAHandler() throws Exception {
        drain();
        assertThat(post("/handlers/index", "{\"action\": \"pause\"}", 200).at("/action").asString()).isEqualTo("pause");
        queue.publish(new Placed("A-1"));
        drain();

        assertThat(handlers.calls).isEmpty();
        JsonNode index = get("/handlers/index", 200).at("/handlers/0");
        assertThat(index.at("/name").asString()).isEqualTo("index");
        assertThat(index.at("/eventTypes/0").asString()).isEqualTo("Placed");
        assertThat(index.at("/paused").asBoolean()).isTrue();
        assertThat(index.at("/open").asInt()).isEqualTo(1);
        assertThat(index.at("/lastSeen").asString()).startsWith("20");

        post("/handlers/index", "{\"action\": \"resume\"}", 200);
        drain();
        assertThat(handlers.calls).containsExactly("A-1");
        assertThat(get("/handlers", 200).at("/handlers").size()).isEqualTo(2);
    }

    @Test
    void retiresAHandler() throws Exception {
        drain();
        UUID id = queue.publish(new Placed("A-1"));
        fanout.drainOneRound();

        post("/handlers/mail", "{\"action\": \"retire\"}", 200);
        drain();

        assertThat(get("/handlers/mail", 200).at("/handlers/0/retired").asBoolean()).isTrue();
        assertThat(queue.find(id)).get().satisfies(event -> assertThat(event.errors()).contains("retired"));
    }

    @Test
    void listsDeadLettersWithFilters() throws Exception {
        queue.publish(new Placed("A-1"));
        queue.publish(new Placed("A-2"));
        drain();

        assertThat(get("/dead-letters", 200).at("/deadLetters").size()).isEqualTo(2);
        assertThat(get("/dead-letters?limit=1", 200).at("/deadLetters").size()).isEqualTo(1);
        assertThat(get("/dead-letters?handler=mail", 200).at("/deadLetters").size()).isEqualTo(2);
        assertThat(get("/dead-letters?handler=index", 200).at("/deadLetters").size()).isZero();
        assertThat(get("/dead-letters?error=UnrecoverableEventException", 200).at("/deadLetters").size()).isEqualTo(2);
        assertThat(get("/dead-letters?error=Timeout", 200).at("/deadLetters").size()).isZero();
        assertThat(get("/dead-letters?eventType=Placed&state=DEAD", 200).at("/deadLetters").size()).isEqualTo(2);
        assertThat(get("/dead-letters?eventType=Shipped", 200).at("/deadLetters").size()).isZero();
        assertThat(get("/dead-letters?state=EXPIRED", 200).at("/deadLetters").size()).isZero();
        assertThat(get("/dead-letters?since=2020-01-31T08:00:00Z", 200).at("/deadLetters").size()).isEqualTo(2);
        assertThat(get("/dead-letters?until=2020-01-31T08:00:00Z", 200).at("/deadLetters").size()).isZero();
        JsonNode letter = get("/dead-letters", 200).at("/deadLetters/0");
        assertThat(letter.at("/handler").asString()).isEqualTo("mail");
        assertThat(letter.at("/error").asString()).contains("mail server is gone");
        assertThat(letter.has("payload")).isFalse();
        assertThat(get("/dead-letters/" + letter.at("/id").asString(), 200)).isEqualTo(letter);
    }

    @Test
    void pagesThroughDeadLettersAlsoWhenTheyAreReplayedMeanwhile() throws Exception {
        for (int i = 0; i < 5; i++) {
            queue.publish(new Placed("A-" + i));
        }
        drain();
        List<String> all = ids(get("/dead-letters", 200));
        assertThat(get("/dead-letters?limit=5", 200).has("next")).as("these are all").isFalse();

        JsonNode first = get("/dead-letters?limit=2", 200);
        assertThat(ids(first)).isEqualTo(all.subList(0, 2));
        post("/dead-letters/" + all.get(1), "{\"action\": \"discard\"}", 200);
        JsonNode second = get("/dead-letters?limit=2&after=" + first.at("/next").asString(), 200);
        assertThat(ids(second)).isEqualTo(all.subList(2, 4));
        JsonNode third = get("/dead-letters?limit=2&after=" + second.at("/next").asString(), 200);
        assertThat(ids(third)).isEqualTo(all.subList(4, 5));
        assertThat(third.has("next")).as("the end").isFalse();
    }

    private static List<String> ids(JsonNode page) {
        return page.at("/deadLetters").valueStream().map(letter -> letter.at("/id").asString()).toList();
    }

    @Test
    void replaysOneDeadLetter() throws Exception {
        UUID id = queue.publish(new Placed("A-1"));
        drain();
        String letter = get("/dead-letters", 200).at("/deadLetters/0/id").asString();
        handlers.broken = false;

        post("/dead-letters/" + letter, "{\"action\": \"replay\"}", 200);
        drain();

        assertThat(get("/dead-letters", 200).at("/deadLetters").size()).isZero();
        assertThat(queue.find(id)).get().extracting(event -> event.status()).isEqualTo(EventStatus.COMPLETED);
        assertThat(audit()).containsExactly("REPLAYED by actuator");
        post("/dead-letters/" + letter, "{\"action\": \"replay\"}", 404);
    }

    @Test
    void discardsOneDeadLetter() throws Exception {
        queue.publish(new Placed("A-1"));
        drain();
        String letter = get("/dead-letters", 200).at("/deadLetters/0/id").asString();

        post("/dead-letters/" + letter, "{\"action\": \"discard\"}", 200);

        assertThat(get("/dead-letters", 200).at("/deadLetters").size()).isZero();
        assertThat(audit()).containsExactly("DISCARDED by actuator");
        post("/dead-letters/" + letter, "{\"action\": \"discard\"}", 404);
    }

    @ParameterizedTest
    @ValueSource(strings = { "\"handler\": \"mail\"", "\"error\": \"server is gone\"", "\"eventType\": \"Placed\"",
            "\"state\": \"DEAD\"", "\"since\": \"2020-01-31T08:00:00Z\"", "\"all\": true" })
    void replaysOrDiscardsMany(String which) throws Exception {
        queue.publish(new Placed("A-1"));
        queue.publish(new Placed("A-2"));
        drain();

        assertThat(post("/dead-letters", "{\"action\": \"replay\", " + which + "}", 200).at("/deadLetters").asInt())
            .isEqualTo(2);
        drain();
        assertThat(post("/dead-letters", "{\"action\": \"discard\", " + which + "}", 200).at("/deadLetters").asInt())
            .isEqualTo(2);
        assertThat(get("/dead-letters", 200).at("/deadLetters").size()).isZero();
        assertThat(audit()).containsExactly("REPLAYED by actuator", "REPLAYED by actuator", "DISCARDED by actuator",
                "DISCARDED by actuator");
    }

    @ParameterizedTest
    @ValueSource(strings = { "\"handler\": \"index\"", "\"error\": \"Timeout\"", "\"eventType\": \"Shipped\"",
            "\"state\": \"EXPIRED\"", "\"until\": \"2020-01-31T08:00:00Z\"" })
    void leavesAloneWhatTheFilterDoesNotName(String which) throws Exception {
        queue.publish(new Placed("A-1"));
        drain();
        assertThat(post("/dead-letters", "{\"action\": \"replay\", " + which + "}", 200).at("/deadLetters").asInt())
            .isZero();
        assertThat(post("/dead-letters", "{\"action\": \"discard\", " + which + "}", 200).at("/deadLetters").asInt())
            .isZero();
    }

    @Test
    void theAuditNamesWhoeverWasAuthenticated() throws Exception {
        queue.publish(new Placed("A-1"));
        drain();

        send(HttpRequest.newBuilder(uri("/actuator/eventqueue/dead-letters"))
            .header("Content-Type", "application/json")
            .header("X-User", "ann")
            .POST(BodyPublishers.ofString("{\"action\": \"replay\", \"all\": true}"))
            .build(), 200);

        assertThat(audit()).containsExactly("REPLAYED by ann");
    }

    /** What operators did, in order. */
    private List<String> audit() {
        return jdbc.queryForList("""
                SELECT action || ' by ' || worker_id FROM eventlog.event_attempts
                WHERE action IN ('REPLAYED', 'DISCARDED') ORDER BY id""", String.class);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            textBlock = """
                    handlers/mail                   | {"action": "stop"}                | use pause, resume or retire
                    handlers/mail                   | {}                                | action is missing
                    projections/orders-per-customer | {"action": "delete"}              | use reset
                    dead-letters                    | {"action": "replay"}              | send handler, eventType, error, state, since, until, or "all": true
                    dead-letters                    | {"action": "replay", "all": true, "handler": "x"} | not both
                    dead-letters                    | {"action": "replay", "all": "yes"} | use true or false
                    dead-letters                    | {"action": "replay", "state": "FAILED"} | use DEAD or EXPIRED
                    dead-letters                    | {"action": "replay", "since": "today"} | use a time in UTC like
                    dead-letters                    | {"action": "resend", "all": true} | use replay or discard
                    dead-letters/17                 | {"action": "replay"}              | is not the id of a dead letter
                    """)
    void badInputIsAnsweredWithWhatToSend(String path, String body, String expected) throws Exception {
        assertThat(post("/" + path, body, 400).at("/error").asString()).contains(expected);
    }

    @ParameterizedTest
    @CsvSource({ "limit=0,use 1 to 1000", "limit=many,use a whole number", "limit=1001,use 1 to 1000",
            "after=7,send the value of next", "after=2020-01-31T08:00:00Z,send the value of next" })
    void badPagesAreAnsweredWithWhatToSend(String query, String expected) throws Exception {
        assertThat(get("/dead-letters?" + query, 400).at("/error").asString()).contains(expected);
    }

    @Test
    void whatIsNotThereIs404() throws Exception {
        get("/nothing", 404);
        get("/handlers/nobody", 404);
        get("/projections/none", 404);
        post("/projections/none", "{\"action\": \"reset\"}", 404);
        get("/dead-letters/" + UUID.randomUUID(), 404);
        post("/handlers/nobody", "{\"action\": \"pause\"}", 404);
        post("/nothing", "{\"action\": \"pause\"}", 404);
    }

    @Test
    void showsAndResetsAProjection() throws Exception {
        queue.publish(new Placed("A-1"));
        drain();
        projections.reset(OrdersPerCustomer.NAME);
        orders.seen.clear();
        while (projections.drainOneRound() > 0) {
            // to the end of the log
        }

        JsonNode projection = get("/projections", 200).at("/projections/0");
        assertThat(projection.at("/projection").asString()).isEqualTo(OrdersPerCustomer.NAME);
        assertThat(projection.at("/shard").asString()).isEqualTo("default");
        assertThat(projection.at("/position").asLong()).isPositive();
        assertThat(projection.at("/lag").asLong()).isZero();
        assertThat(orders.seen).containsExactly("A-1");

        post("/projections/" + OrdersPerCustomer.NAME, "{\"action\": \"reset\"}", 200);

        assertThat(orders.seen).isEmpty();
        JsonNode afterwards = get("/projections/" + OrdersPerCustomer.NAME, 200).at("/projections/0");
        assertThat(afterwards.at("/position").asLong()).isZero();
        assertThat(afterwards.at("/lag").asLong()).isPositive();
        assertThat(get("", 200).at("/running/projections").asBoolean()).isFalse();
    }

    @Test
    void healthIsUpWithDetails() throws Exception {
        JsonNode health = json(send(HttpRequest.newBuilder(uri("/actuator/health/eventQueue")).build(), 200));

        assertThat(health.at("/status").asString()).isEqualTo("UP");
        assertThat(health.at("/details/handling").asString()).isEqualTo("disabled");
        assertThat(health.at("/details/shards/default/behind").asBoolean()).isFalse();
    }

    @Test
    void metersAreThere() throws Exception {
        queue.publish(new Placed("A-1"));

        await().untilAsserted(() -> {
            JsonNode meter = json(
                    send(HttpRequest.newBuilder(uri("/actuator/metrics/event.queue.published")).build(), 200));
            assertThat(meter.at("/measurements/0/value").asDouble()).isPositive();
        });
    }

    @Test
    void theDocumentedCommandsWork() throws IOException {
        String page = Files.readString(Path.of("../docs/monitoring.md"));

        assertThat(page.lines().filter(line -> line.startsWith("curl")).count()).isGreaterThanOrEqualTo(8);
        assertThat(page.lines().filter(line -> line.startsWith("curl"))).allSatisfy(line -> {
            String path = line.replaceAll(".*localhost:8080(/[^ '\"]*).*", "$1")
                .replace("payment", "mail")
                .replaceAll("[0-9a-f]{8}-[0-9a-f-]{27}", UUID.randomUUID().toString());
            HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
            if (line.contains("-d '")) {
                request.header("Content-Type", "application/json")
                    .POST(BodyPublishers
                        .ofString(line.replaceAll(".*-d '([^']*)'.*", "$1").replace("payment", "mail")));
            }
            int status = http.send(request.build(), BodyHandlers.ofString()).statusCode();
            boolean namesOneLetter = path.matches(".*dead-letters/.+");
            assertThat(status).as(line).isEqualTo(namesOneLetter ? 404 : 200);
        });
    }

    private void drain() {
        while (fanout.drainOneRound() + handling.drainOneRound() > 0) {
            // until nothing is due
        }
    }

    private URI uri(String path) {
        return URI.create("http://localhost:" + port + path);
    }

    private JsonNode get(String path, int status) throws Exception {
        return json(send(HttpRequest.newBuilder(uri("/actuator/eventqueue" + path)).build(), status));
    }

    private JsonNode post(String path, String body, int status) throws Exception {
        return json(send(HttpRequest.newBuilder(uri("/actuator/eventqueue" + path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build(), status));
    }

    private String send(HttpRequest request, int status) throws Exception {
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
        assertThat(response.statusCode()).as(request + " " + response.body()).isEqualTo(status);
        return response.body();
    }

    private static JsonNode json(String body) {
        return JsonMapper.builder().build().readTree(body.isEmpty() ? "{}" : body);
    }

    record Placed(String id) {
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Handlers handlers() {
            return new Handlers();
        }

        @Bean
        OrdersPerCustomer ordersPerCustomer() {
            return new OrdersPerCustomer();
        }

        /** Stands for the application's security. */
        @Bean
        Filter authentication() {
            return (request, response, chain) -> {
                String user = ((HttpServletRequest) request).getHeader("X-User");
                chain.doFilter(user == null ? request : new HttpServletRequestWrapper((HttpServletRequest) request) {
                    @Override
                    public Principal getUserPrincipal() {
                        return () -> user;
                    }
                }, response);
            };
        }

    }

    static class OrdersPerCustomer implements EventLogProjection {

        static final String NAME = "orders-per-customer";

        final List<String> seen = new CopyOnWriteArrayList<>();

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public void handle(QueuedEvent event, ProjectionContext context) {
            seen.add(context.read(event, Placed.class).id());
        }

        @Override
        public void reset(ProjectionContext context) {
            seen.clear();
        }

    }

    static class Handlers {

        final List<String> calls = new CopyOnWriteArrayList<>();

        volatile boolean broken;

        @EventHandler(name = "mail")
        void mail(Placed event) {
            if (broken) {
                throw new UnrecoverableEventException("mail server is gone");
            }
        }

        @EventHandler(name = "index")
        void index(Placed event) {
            calls.add(event.id());
        }

    }

}
