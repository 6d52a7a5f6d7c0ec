package io.eventqueue.api;

import static io.eventqueue.api.ApiClient.event;
import static io.eventqueue.api.ApiClient.failure;
import static io.eventqueue.api.ApiClient.report;
import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.api.ApiClient.Answer;
import io.eventqueue.testsupport.MutableClock;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The API as its specification shows it, over real HTTP, with the clock of the examples:
 * bodies are compared in full, only ids differ.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class WorkerApiContract {

    private static final String WELCOME_MAIL = """
            {
              "title": "Send Email Notification",
              "description": "Send welcome email to new user",
              "tags": "email,priority-high,notification",
              "payload": {
                "user_id": 12345,
                "email": "user@example.com",
                "template": "welcome",
                "variables": {"name": "Alice", "signup_date": "2025-12-24"}
              }
            }""";

    private static final String PAYLOAD = ApiClient.JSON.readTree(WELCOME_MAIL).path("payload").toString();

    private final TestDatabase kind;

    private FreshDatabase database;

    private ApiServer server;

    private ApiClient api;

    private MutableClock clock;

    WorkerApiContract(TestDatabase kind) {
        this.kind = kind;
    }

    @BeforeAll
    void start() {
        database = kind.create(1);
        server = ApiServer.startWithToken(database, ApiServer.WithClock.class);
        api = server.client();
        clock = server.bean(MutableClock.class);
    }

    @AfterAll
    void stop() {
        server.close();
        database.close();
    }

    // ---- the examples of the specification

    @Test
    void createSubscribeCompleteAndGetAnswerAsInTheExamples() {
        at("2025-12-24T10:30:00Z");
        Answer created = api.post("/events", WELCOME_MAIL);
        String id = created.field("id");
        assertThat(created.status()).isEqualTo(201);
        assertThat(created.headers().firstValue("Location")).hasValue("/events/" + id);
        assertBody(created, """
                {
                  "id": "%s",
                  "title": "Send Email Notification",
                  "description": "Send welcome email to new user",
                  "tags": "email,priority-high,notification",
                  "status": "PENDING",
                  "payload": %s,
                  "retry_count": 0,
                  "max_retries": 3,
                  "next_retry_at": null,
                  "created_at": "2025-12-24T10:30:00Z",
                  "updated_at": "2025-12-24T10:30:00Z"
                }""", id, PAYLOAD);

        at("2025-12-24T10:30:45Z");
        Answer picked = api.get("/events/subscribe?tags=email,notification&worker_id=worker-02:8742");
        assertThat(picked.status()).isEqualTo(200);
        assertThat(picked.attempt()).isEqualTo("1");
        assertBody(picked, """
                {
                  "id": "%s",
                  "title": "Send Email Notification",
                  "tags": "email,priority-high,notification",
                  "status": "PROCESSING",
                  "payload": %s,
                  "retry_count": 0,
                  "max_retries": 3,
                  "created_at": "2025-12-24T10:30:00Z"
                }""", id, PAYLOAD);
        Answer nothing = api.get("/events/subscribe?tags=email,notification&worker_id=worker-02:8742");
        assertThat(nothing.status()).isEqualTo(204);
        assertThat(nothing.body()).isEmpty();

        at("2025-12-24T10:31:15Z");
        Answer completed = api.post("/events/" + id + "/complete", """
                {"worker_id": "worker-02:8742", "execution_time_ms": 1250, "status_code": 200}""");
        assertThat(completed.status()).isEqualTo(200);
        assertBody(completed, """
                {
                  "event_id": "%s",
                  "worker_id": "worker-02:8742",
                  "action": "COMPLETED",
                  "status_code": 200,
                  "execution_time_ms": 1250,
                  "created_at": "2025-12-24T10:31:15Z"
                }""", id);

        String details = """
                {
                  "id": "%s",
                  "title": "Send Email Notification",
                  "description": "Send welcome email to new user",
                  "tags": "email,priority-high,notification",
                  "status": "COMPLETED",
                  "payload": %s,
                  "retry_count": 0,
                  "max_retries": 3,
                  "next_retry_at": null,
                  "created_at": "2025-12-24T10:30:00Z",
                  "updated_at": "2025-12-24T10:31:15Z"%s
                }""";
        assertBody(api.get("/events/" + id), details, id, PAYLOAD, "");
        assertBody(api.get("/events/" + id + "?include_logs=true"), details, id, PAYLOAD, """
                , "logs": [
                    {
                      "id": 5001,
                      "worker_id": "worker-02:8742",
                      "action": "PICKED",
                      "created_at": "2025-12-24T10:30:45Z"
                    },
                    {
                      "id": 5002,
                      "worker_id": "worker-02:8742",
                      "action": "COMPLETED",
                      "status_code": 200,
                      "execution_time_ms": 1250,
                      "created_at": "2025-12-24T10:31:15Z"
                    }
                  ]""");
    }

    @Test
    void failAnswersAsInTheExamplesUntilRetriesAreUsedUp() {
        at("2025-12-24T10:30:45Z");
        String id = api.post("/events", event("fail", "failing")).field("id");
        api.get("/events/subscribe?tags=failing&worker_id=worker-02:8742");
        at("2025-12-24T10:31:15Z");
        String request = """
                {
                  "worker_id": "worker-02:8742",
                  "execution_time_ms": 5000,
                  "status_code": 500,
                  "error_message": "Connection timeout: mail server unreachable. Will retry."
                }""";
        Answer failed = api.post("/events/" + id + "/fail", request);
        assertThat(failed.status()).isEqualTo(200);
        assertBody(failed, """
                {
                  "event_id": "%s",
                  "worker_id": "worker-02:8742",
                  "action": "FAILED",
                  "status_code": 500,
                  "error_message": "Connection timeout: mail server unreachable. Will retry.",
                  "execution_time_ms": 5000,
                  "retry_scheduled": true,
                  "next_retry_at": "2025-12-24T10:36:15Z",
                  "created_at": "2025-12-24T10:31:15Z"
                }""", id);
        Answer waits = api.get("/events/" + id);
        assertThat(waits.field("status")).isEqualTo("PENDING");
        assertThat(waits.field("next_retry_at")).isEqualTo("2025-12-24T10:36:15Z");
        assertThat(waits.json().path("retry_count").intValue()).isEqualTo(1);

        at("2025-12-24T10:36:14Z");
        assertThat(pick("failing", "worker-02:8742").status()).isEqualTo(204);
        at("2025-12-24T10:36:15Z");
        assertThat(pick("failing", "worker-02:8742").status()).isEqualTo(200);
        assertThat(api.post("/events/" + id + "/fail", request).status()).isEqualTo(200);
        at("2025-12-24T10:41:15Z");
        assertThat(pick("failing", "worker-02:8742").status()).isEqualTo(200);
        Answer exceeded = api.post("/events/" + id + "/fail", request);
        assertThat(exceeded.status()).isEqualTo(400);
        assertBody(exceeded, """
                {"error": "Max retries exceeded", "retry_count": 3, "max_retries": 3}""");
        assertThat(api.post("/events/" + id + "/fail", request)).as("repeated")
            .extracting(Answer::status, Answer::body)
            .containsExactly(400, exceeded.body());
        assertThat(api.get("/events/" + id).field("status")).isEqualTo("FAILED");
        assertThat(actions(id)).containsExactly("PICKED", "FAILED", "PICKED", "FAILED", "PICKED", "FAILED");
    }

    @Test
    void listAnswersAsInTheExample() {
        at("2025-12-24T10:25:00Z");
        String payment = api.post("/events", event("Process Payment", "payment,listed")).field("id");
        at("2025-12-24T10:30:00Z");
        String mail = api.post("/events", event("Send Email Notification", "email,listed")).field("id");
        at("2025-12-24T10:31:00Z");
        pick("payment", "w:1");
        api.post("/events/" + payment + "/fail", failure("w:1", "declined"));
        at("2025-12-24T10:31:15Z");
        api.get("/events/subscribe?tags=listed&worker_id=w:2");
        api.post("/events/" + mail + "/complete", report("w:2"));

        assertBody(api.get("/events?tags=listed&limit=10"), """
                {
                  "events": [
                    {
                      "id": "%s",
                      "title": "Send Email Notification",
                      "status": "COMPLETED",
                      "tags": "email,listed",
                      "retry_count": 0,
                      "created_at": "2025-12-24T10:30:00Z",
                      "updated_at": "2025-12-24T10:31:15Z"
                    },
                    {
                      "id": "%s",
                      "title": "Process Payment",
                      "status": "PENDING",
                      "tags": "payment,listed",
                      "retry_count": 1,
                      "next_retry_at": "2025-12-24T10:36:00Z",
                      "created_at": "2025-12-24T10:25:00Z",
                      "updated_at": "2025-12-24T10:31:00Z"
                    }
                  ],
                  "total": 2,
                  "limit": 10,
                  "offset": 0
                }""", mail, payment);
        assertThat(api.get("/events?status=PENDING&tags=listed").json().path("events")).hasSize(1);
        Answer second = api.get("/events?tags=listed,other&limit=1&offset=1");
        assertThat(second.json().path("events").path(0).path("id").asString()).isEqualTo(payment);
        assertThat(second.json().path("total").intValue()).isEqualTo(2);
        assertThat(api.get("/events").json().path("limit").intValue()).isEqualTo(20);
    }

    @Test
    void theHistoryIsThatOfTheLifeCycleExample() {
        at("2025-12-24T10:30:00Z");
        String id = api.post("/events", event("life", "lifecycle")).field("id");
        at("2025-12-24T10:30:45Z");
        pick("lifecycle", "worker-01:7234");
        at("2025-12-24T10:30:46Z");
        Answer started = api.post("/events/" + id + "/start", """
                {"worker_id": "worker-01:7234"}""");
        assertBody(started, """
                {"event_id": "%s", "worker_id": "worker-01:7234", "action": "STARTED",
                 "created_at": "2025-12-24T10:30:46Z"}""", id);
        at("2025-12-24T10:30:54Z");
        api.post("/events/" + id + "/fail", """
                {"worker_id": "worker-01:7234", "execution_time_ms": 8000, "status_code": 503,
                 "error_message": "Service unavailable, will retry"}""");
        at("2025-12-24T10:36:10Z");
        pick("lifecycle", "worker-02:8742");
        at("2025-12-24T10:36:25Z");
        api.post("/events/" + id + "/complete", report("worker-02:8742"));

        JsonNode logs = numbered(api.get("/events/" + id + "?include_logs=true").json()).path("logs");
        assertThat(logs).isEqualTo(ApiClient.JSON.readTree("""
                [
                  {"id": 5001, "worker_id": "worker-01:7234", "action": "PICKED",
                   "created_at": "2025-12-24T10:30:45Z"},
                  {"id": 5002, "worker_id": "worker-01:7234", "action": "STARTED",
                   "created_at": "2025-12-24T10:30:46Z"},
                  {"id": 5003, "worker_id": "worker-01:7234", "action": "FAILED", "status_code": 503,
                   "error_message": "Service unavailable, will retry", "execution_time_ms": 8000,
                   "created_at": "2025-12-24T10:30:54Z"},
                  {"id": 5004, "worker_id": "worker-02:8742", "action": "PICKED",
                   "created_at": "2025-12-24T10:36:10Z"},
                  {"id": 5005, "worker_id": "worker-02:8742", "action": "COMPLETED", "status_code": 200,
                   "execution_time_ms": 1250, "created_at": "2025-12-24T10:36:25Z"}
                ]"""));
    }

    @Test
    void twoProcessesWorkTogetherAsInTheExample() {
        at("2025-12-24T10:40:00Z");
        Answer created = api.post("/events", """
                {
                  "title": "Batch Report Generation",
                  "tags": "reporting,batch",
                  "payload": {"report_type": "sales", "month": "2025-12"}
                }""");
        assertThat(created.status()).isEqualTo(201);
        String id = created.field("id");
        Answer picked = pick("reporting", "worker-03:9100");
        assertThat(picked.field("id")).isEqualTo(id);
        assertThat(picked.field("status")).isEqualTo("PROCESSING");
        assertThat(pick("payments", "worker-04:9101").status()).isEqualTo(204);
        at("2025-12-24T10:40:15Z");
        api.post("/events/" + id + "/complete", """
                {"worker_id": "worker-03:9100", "execution_time_ms": 15000, "status_code": 200}""");
        assertThat(api.get("/events/" + id).field("status")).isEqualTo("COMPLETED");
        assertThat(pick("payments", "worker-04:9101").status()).isEqualTo(204);
        String payment = api.post("/events", event("pay", "payments")).field("id");
        assertThat(pick("payments", "worker-04:9101").field("id")).isEqualTo(payment);
    }

    // ---- owners, leases and repetitions

    @Test
    void aWorkerThatDiesLosesNothingAndItsLateReportIsRefused() {
        at("2025-12-24T11:00:00Z");
        String id = api.post("/events", event("orphan", "orphans")).field("id");
        Answer first = pick("orphans", "dead:1");
        at("2025-12-24T11:00:29Z");
        assertThat(pick("orphans", "alive:2").status()).as("while the lease lasts").isEqualTo(204);
        at("2025-12-24T11:00:30Z");
        Answer second = pick("orphans", "alive:2");
        assertThat(second.field("id")).isEqualTo(id);
        assertThat(second.attempt()).isEqualTo("2");
        for (String call : List.of("complete", "fail", "start", "heartbeat")) {
            Answer late = api.post("/events/" + id + "/" + call, report("dead:1"), "Event-Attempt", first.attempt());
            assertThat(late.status()).as(call).isEqualTo(409);
            assertThat(late.field("error")).contains("dead:1", "alive:2");
        }
        assertThat(api.get("/events/" + id).field("status")).isEqualTo("PROCESSING");
        assertThat(api.post("/events/" + id + "/complete", report("alive:2")).status()).isEqualTo(200);
        assertThat(actions(id)).containsExactly("PICKED", "FAILED", "PICKED", "COMPLETED");
    }

    @Test
    void aHeartbeatKeepsTheEvent() {
        at("2025-12-24T11:10:00Z");
        String id = api.post("/events", event("slow", "slow")).field("id");
        pick("slow", "w:1");
        at("2025-12-24T11:10:29Z");
        Answer beat = api.post("/events/" + id + "/heartbeat", """
                {"worker_id": "w:1"}""");
        assertBody(beat, """
                {"event_id": "%s", "worker_id": "w:1", "lease_until": "2025-12-24T11:10:59Z"}""", id);
        at("2025-12-24T11:10:58Z");
        assertThat(pick("slow", "w:2").status()).isEqualTo(204);
        assertThat(api.post("/events/" + id + "/complete", report("w:1")).status()).isEqualTo(200);
    }

    @Test
    void reportsAreSafeToRepeatAlsoAfterTheEventWentToTheLog() {
        at("2025-12-24T11:20:00Z");
        String id = api.post("/events", event("again", "again")).field("id");
        Answer picked = pick("again", "w:1");
        Answer failed = api.post("/events/" + id + "/fail", failure("w:1", "first"));
        at("2025-12-24T11:20:05Z");
        assertThat(api.post("/events/" + id + "/fail", failure("w:1", "second")).body()).isEqualTo(failed.body());
        at("2025-12-24T11:26:00Z");
        pick("again", "w:1");
        assertThat(
                api.post("/events/" + id + "/fail", failure("w:1", "late"), "Event-Attempt", picked.attempt()).body())
            .as("the first attempt's, though the same worker has the event again")
            .isEqualTo(failed.body());
        Answer completed = api.post("/events/" + id + "/complete", report("w:1"));
        at("2025-12-24T11:27:00Z");
        assertThat(api.post("/events/" + id + "/complete", report("w:1"))).extracting(Answer::status, Answer::body)
            .containsExactly(200, completed.body());
        assertThat(api.post("/events/" + id + "/complete", report("other:2")).status()).isEqualTo(409);
        assertThat(actions(id)).containsExactly("PICKED", "FAILED", "PICKED", "COMPLETED");
    }

    @Test
    void completeAndFailOfOneAttemptAtTheSameTimeHaveOneWinner() {
        at("2025-12-24T11:40:00Z");
        for (int round = 0; round < 10; round++) {
            String id = api.post("/events", event("race", "race")).field("id");
            pick("race", "w:1");
            List<Integer> statuses = List.of("complete", "fail")
                .parallelStream()
                .map(call -> api.post("/events/" + id + "/" + call, failure("w:1", "x")).status())
                .toList();
            assertThat(statuses).containsExactlyInAnyOrder(200, 409);
            assertThat(actions(id)).hasSize(2);
        }
        at("2025-12-24T12:40:00Z");
        while (pick("race", "w:2").status() == 200) {
            // Those that failed are of no interest to other tests.
        }
    }

    @Test
    void resetMakesAnEventAvailableAtOnce() {
        at("2025-12-24T13:00:00Z");
        String id = api.post("/events", """
                {"title": "stuck", "tags": ["stuck"], "max_retries": 2}""").field("id");
        pick("stuck", "w:1");
        Answer reset = api.post("/events/" + id + "/reset?reason=worker_timeout", "");
        assertBody(reset, """
                {"event_id": "%s", "worker_id": "w:1", "action": "RESET", "reason": "worker_timeout",
                 "created_at": "2025-12-24T13:00:00Z"}""", id);
        assertThat(api.post("/events/" + id + "/complete", report("w:1")).status()).isEqualTo(409);
        pick("stuck", "w:2");
        api.post("/events/" + id + "/fail", failure("w:2", "x"));
        assertThat(pick("stuck", "w:2").status()).isEqualTo(204);
        api.post("/events/" + id + "/reset", "");
        Answer third = pick("stuck", "w:3");
        assertThat(third.json().path("retry_count").intValue()).isEqualTo(1);
        assertThat(api.post("/events/" + id + "/fail", failure("w:3", "y")).status()).isEqualTo(400);
        assertThat(api.post("/events/" + id + "/reset", "").status()).isEqualTo(200);
        assertThat(pick("stuck", "w:4").json().path("retry_count").intValue()).isZero();
        api.post("/events/" + id + "/complete", report("w:4"));
        assertThat(api.post("/events/" + id + "/reset", "").status()).isEqualTo(409);
    }

    // ---- what is refused

    @Test
    void anUnknownEventIsNotFound() {
        String unknown = "/events/" + UUID.randomUUID();
        assertThat(api.get(unknown).status()).isEqualTo(404);
        for (String call : List.of("start", "heartbeat", "complete", "fail", "reset")) {
            assertThat(api.post(unknown + "/" + call, report("w:1")).status()).as(call).isEqualTo(404);
        }
        assertThat(api.get("/events/a/b/c").field("error")).contains("openapi.json");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`',
            value = { "/events/subscribe?worker_id=w:1 | tags is missing",
                    "/events/subscribe?tags=&worker_id=w:1 | tags is missing",
                    "/events/subscribe?tags=a | worker_id is missing",
                    "/events/subscribe?tags=a&worker_id=w%0D%0AERROR | worker_id has a control character",
                    "/events/subscribe?tags=a&worker_id=w%E2%80%A8 | worker_id has a control character",
                    "/events/subscribe?tags=a%00&worker_id=w:1 | tags has a control character",
                    "/events/subscribe?tags=a&worker_id=w:1&wait=soon | wait is not a time",
                    "/events/subscribe?tags=a&worker_id=w:1&wait=-1 | wait is",
                    "/events?status=DONE | status is none of PENDING", "/events?limit=0 | limit is not a whole number",
                    "/events?limit=1001 | limit is not a whole number from 1 to 1000",
                    "/events?offset=-1 | offset is not a whole number",
                    "/events/00000000-0000-0000-0000-000000000000?include_logs=maybe | include_logs is neither",
                    "/events/1001 | id is not a UUID" })
    void aWrongParameterIsNamed(String path, String error) {
        Answer answer = api.get(path);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.field("error")).startsWith(error);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`',
            value = { "{\"tags\": \"a\"} | title is missing", "{\"title\": \" \", \"tags\": \"a\"} | title is blank",
                    "{\"title\": 7, \"tags\": \"a\"} | title is not a string",
                    "{\"title\": \"a\\nb\", \"tags\": \"a\"} | title has a control character",
                    "{\"title\": \"x\"} | tags is missing", "{\"title\": \"x\", \"tags\": \",\"} | tags is missing",
                    "{\"title\": \"x\", \"tags\": [1]} | tags is not a string, or an array",
                    "{\"title\": \"x\", \"tags\": \"a\", \"max_retries\": 0} | max_retries is not a whole number",
                    "{\"title\": \"x\", \"tags\": \"a\", \"id\": \"7\"} | id is not a UUID",
                    "{\"title\": \"x\", \"tags\": \"a\", \"payload\": {\"a\": \"\\u0000\"}} | payload has a NUL",
                    "{\"title\": \"x\", \"tags\": \"a\", \"payload\": [1e100000]} | payload has a number beyond",
                    "[] | The body is not a JSON object", "{\"title\": | The body is not JSON",
                    "{\"title\": \"x\", \"title\": \"y\", \"tags\": \"a\"} | The body is not JSON" })
    void aWrongBodyIsNamed(String body, String error) {
        Answer answer = api.post("/events", body);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.field("error")).startsWith(error);
    }

    @Test
    void aReportNamesWhatIsWrongWithIt() {
        String complete = "/events/" + UUID.randomUUID() + "/complete";
        assertThat(api.post(complete, "{}").field("error")).isEqualTo("worker_id is missing");
        assertThat(api.post(complete, "{\"worker_id\": \"w:1\", \"status_code\": \"200\"}").field("error"))
            .startsWith("status_code is not a whole number");
        assertThat(api.post(complete, report("w:1"), "Event-Attempt", "x").field("error"))
            .startsWith("Event-Attempt is not a whole number");
        assertThat(api.post(complete, "").status()).isEqualTo(400);
        Answer form = api.send("POST", complete,
                api.request(complete)
                    .header("Content-Type", "application/x-www-form-urlencoded")
                    .POST(BodyPublishers.ofString("worker_id=w")));
        assertThat(form.status()).isEqualTo(415);
    }

    @Test
    void aLargePayloadOrBodyIsRefused() {
        String payload = "x".repeat((1 << 20) + 1);
        assertThat(api.post("/events", ApiClient.json(Map.of("title", "x", "tags", "a", "payload", payload))))
            .satisfies(answer -> {
                assertThat(answer.status()).isEqualTo(413);
                assertThat(answer.field("error")).contains("event-queue.max-payload-size");
            });
        String spaces = " ".repeat((2 << 20) + 1);
        assertThat(api.post("/events", spaces).status()).as("announced").isEqualTo(413);
        Answer chunked = api.send("POST", "/events",
                api.request("/events")
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.fromPublisher(BodyPublishers.ofString(spaces))));
        assertThat(chunked.status()).as("not announced").isEqualTo(413);
        assertThat(api.post("/events/" + UUID.randomUUID() + "/fail", failure("w:1", "x".repeat(70_000))).status())
            .isEqualTo(413);
    }

    @Test
    void nobodyGetsInWithoutTheToken() {
        String token = ApiServer.TOKEN;
        String allButTheLast = token.substring(0, token.length() - 1);
        for (String wrong : new String[] { null, "Bearer ", "Bearer wrong", "Bearer " + token + "x",
                "Bearer " + allButTheLast, "Bearer " + allButTheLast + "x", "Bearer x" + token.substring(1),
                "Bearer " + token.toUpperCase(Locale.ROOT), "Basic " + token }) {
            Answer answer = api.as(wrong).get("/events");
            assertThat(answer.status()).as(String.valueOf(wrong)).isEqualTo(401);
            assertThat(answer.headers().firstValue("WWW-Authenticate")).hasValue("Bearer");
            assertThat(api.as(wrong).post("/events", event("x", "a")).status()).isEqualTo(401);
            assertThat(api.as(wrong).get("/events/nothing/here").status()).isEqualTo(401);
        }
    }

    // ---- payloads and ids

    @Test
    void payloadsComeBackAsTheyWere() {
        at("2025-12-24T14:00:00Z");
        for (String payload : List.of("{}", "[]", "0.10", "12345678901234567890.123456789", "\"a\"", "true",
                "{\"a\":{\"b\":[1,2.50,null,\"\\u00e4\\n\"]}}")) {
            String id = api.post("/events", "{\"title\": \"x\", \"tags\": \"payloads\", \"payload\": " + payload + "}")
                .field("id");
            Answer picked = pick("payloads", "w:1");
            assertThat(picked.json().path("payload")).isEqualTo(ApiClient.JSON.readTree(payload));
            api.post("/events/" + id + "/complete", report("w:1"));
        }
        String none = api.post("/events", "{\"title\": \"x\", \"tags\": \"none\"}").body();
        assertThat(none).contains("\"payload\":{}");
    }

    @Test
    void anIdMakesPostingSafeToRepeat() {
        at("2025-12-24T14:10:00Z");
        UUID id = UUID.randomUUID();
        String body = "{\"id\": \"" + id + "\", \"title\": \"once\", \"tags\": \"once\"}";
        assertThat(api.post("/events", body).field("id")).isEqualTo(id.toString());
        assertThat(api.post("/events", body).field("id")).isEqualTo(id.toString());
        assertThat(pick("once", "w:1").status()).isEqualTo(200);
        assertThat(pick("once", "w:1").status()).isEqualTo(204);
        api.post("/events/" + id + "/complete", report("w:1"));
        assertThat(api.post("/events", body).field("status")).isEqualTo("COMPLETED");
        assertThat(pick("once", "w:1").status()).isEqualTo(204);
    }

    @Test
    void textThatLooksLikeSqlIsTextLikeAnyOther() {
        at("2025-12-24T14:20:00Z");
        String text = "x' OR '1'='1' -- :tag {events} %_\\\\\"";
        String encoded = URLEncoder.encode(text, StandardCharsets.UTF_8);
        String id = api.post("/events", ApiClient.json(Map.of("title", text, "tags", text))).field("id");
        assertThat(pick(URLEncoder.encode("y' OR '1'='1", StandardCharsets.UTF_8), encoded).status()).isEqualTo(204);
        Answer picked = pick(encoded, encoded);
        assertThat(picked.field("id")).isEqualTo(id);
        assertThat(picked.field("tags")).isEqualTo(text);
        assertThat(api.post("/events/" + id + "/fail", failure(text, text)).field("error_message")).isEqualTo(text);
        assertThat(api.post("/events/" + id + "/reset?reason=" + encoded, "").field("reason")).isEqualTo(text);
        assertThat(api.get("/events?tags=" + encoded).json().path("total").intValue()).isEqualTo(1);
    }

    // ---- the description

    @Test
    void everyOperationAnswersAsDescribed() {
        at("2025-12-24T15:00:00Z");
        ApiClient described = server.client();
        JsonNode description = described.get("/events/openapi.json").json();
        assertThat(description.path("openapi").asString()).isEqualTo("3.1.0");
        assertThat(description.path("servers").path(0).path("url").asString()).isEqualTo("/");
        String id = described.post("/events", event("described", "described")).field("id");
        described.get("/events");
        described.get("/events/subscribe?tags=described&worker_id=w:1");
        for (String call : List.of("start", "heartbeat", "fail", "reset")) {
            assertThat(described.post("/events/" + id + "/" + call, failure("w:1", "x")).status()).isEqualTo(200);
        }
        described.get("/events/subscribe?tags=described&worker_id=w:1");
        described.post("/events/" + id + "/complete", report("w:1"));
        described.get("/events/" + id + "?include_logs=true");
        described.check().assertAllOperationsSeen();
    }

    private void at(String instant) {
        clock.set(Instant.parse(instant));
    }

    private Answer pick(String tag, String worker) {
        return api.get("/events/subscribe?tags=" + tag + "&worker_id=" + worker);
    }

    private List<String> actions(String id) {
        return api.get("/events/" + id + "?include_logs=true")
            .json()
            .path("logs")
            .valueStream()
            .map(line -> line.path("action").asString())
            .toList();
    }

    private static void assertBody(Answer answer, String expected, Object... ids) {
        assertThat(numbered(answer.json())).isEqualTo(ApiClient.JSON.readTree(expected.formatted(ids)));
    }

    /** The lines of a history get the numbers of the examples. */
    private static JsonNode numbered(JsonNode body) {
        if (body.path("logs") instanceof ArrayNode logs) {
            for (int i = 0; i < logs.size(); i++) {
                ((ObjectNode) logs.get(i)).put("id", 5001 + i);
            }
        }
        return body;
    }

}
