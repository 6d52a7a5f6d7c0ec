package io.eventqueue.api;

import static io.eventqueue.api.ApiClient.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.EventQueue;
import io.eventqueue.PublishOptions;
import io.eventqueue.api.ApiClient.Answer;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.MethodParameter;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

/** Whatever the application does with its own JSON, errors and paths. */
class WorkerApiInApplicationsTests {

    @Test
    void isTheSameInAnApplicationWithItsOwnJsonErrorsAndPaths() {
        try (FreshDatabase database = TestDatabase.H2.create(1);
                ApiServer server = ApiServer.startWithToken(database, Opinionated.class,
                        "server.servlet.context-path=/shop", "spring.mvc.servlet.path=/web",
                        "spring.mvc.problemdetails.enabled=true",
                        "spring.jackson.property-naming-strategy=UPPER_CAMEL_CASE",
                        "spring.jackson.default-property-inclusion=non_null")) {
            ApiClient api = new ApiClient(server.url() + "/shop/web", "Bearer " + ApiServer.TOKEN);
            assertThat(api.sendUnchecked("GET", "/own").body()).as("the application's way")
                .isEqualTo("{\"Wrapped\":{\"SomeName\":1}}");

            Answer created = api.post("/events", event("x", "a"));
            assertThat(created.status()).isEqualTo(201);
            assertThat(created.body()).contains("\"next_retry_at\":null", "\"description\":null");
            assertThat(created.headers().firstValue("Location")).hasValue("/shop/web/events/" + created.field("id"));
            assertThat(api.get("/events/" + created.field("id") + "?include_logs=true").status()).isEqualTo(200);
            assertThat(api.get("/events/subscribe?tags=a&wait=1&worker_id=w:1").json().path("payload"))
                .isEqualTo(ApiClient.JSON.readTree("{\"n\": \"x\"}"));
            assertThat(api.get("/events/subscribe?tags=a&wait=1ms&worker_id=w:1").status()).isEqualTo(204);
            assertThat(api.get("/events/7").body()).startsWith("{\"error\":");
            assertThat(api.get("/events/no/such/path").body()).startsWith("{\"error\":");
            assertThat(api.post("/events", "{").body()).startsWith("{\"error\":");
            assertThat(api.get("/events/openapi.json").json().path("servers").path(0).path("url").asString())
                .isEqualTo("/shop/web");
        }
    }

    @Test
    void movesToAnotherPathAndLeavesTheOldOneToTheApplication() {
        try (FreshDatabase database = TestDatabase.H2.create(1);
                ApiServer server = ApiServer.startWithToken(database, ApiServer.Plain.class,
                        "event-queue.api.base-path=/internal/jobs")) {
            ApiClient api = server.client();
            Answer description = api.sendUnchecked("GET", "/internal/jobs/openapi.json");
            assertThat(description.json().path("paths").propertyNames()).contains("/internal/jobs",
                    "/internal/jobs/{id}/complete");
            assertThat(api.sendUnchecked("GET", "/events").status()).isEqualTo(404);
        }
    }

    @Test
    void hasNoOpinionOnEventsThatTheApplicationPublishes() {
        try (FreshDatabase database = TestDatabase.H2.create(1);
                ApiServer server = ApiServer.startWithToken(database, ApiServer.Plain.class,
                        "event-queue.publish.require-transaction=true")) {
            assertThat(server.client().post("/events", event("x", "a")).status()).isEqualTo(201);
        }
        try (FreshDatabase database = TestDatabase.H2.create(1);
                ApiServer server = ApiServer.startWithToken(database, ApiServer.Plain.class)) {
            server.bean(EventQueue.class)
                .publish(Map.of("number", 7), PublishOptions.none().type("OrderPlaced").tags("orders"));
            Answer picked = server.client().get("/events/subscribe?tags=orders&worker_id=w:1");
            assertThat(picked.field("title")).as("its type, for want of a title").isEqualTo("OrderPlaced");
            assertThat(picked.json().path("payload").path("number").intValue()).isEqualTo(7);
        }
    }

    @Test
    void countsPicksReportsAndWaitsByTag() {
        try (FreshDatabase database = TestDatabase.H2.create(1);
                ApiServer server = ApiServer.startWithToken(database, ApiServer.Plain.class)) {
            ApiClient api = server.client();
            String id = api.post("/events", event("x", "a,b")).field("id");
            api.get("/events/subscribe?tags=a&worker_id=w:1");
            for (int repetition = 0; repetition < 2; repetition++) {
                api.post("/events/" + id + "/fail", ApiClient.failure("w:1", "x"));
            }
            api.post("/events/" + id + "/reset", "");
            api.get("/events/subscribe?tags=a&worker_id=w:1");
            api.post("/events/" + id + "/complete", ApiClient.report("w:1"));
            api.get("/events/subscribe?tags=a&wait=10ms&worker_id=w:1");
            for (int tag = 0; tag < 120; tag++) {
                api.get("/events/subscribe?tags=tag" + tag + "&wait=1ms&worker_id=w:1");
            }
            MeterRegistry meters = server.bean(MeterRegistry.class);
            for (String tag : new String[] { "a", "b" }) {
                assertThat(worked(meters, tag, "picked")).isEqualTo(2);
                assertThat(worked(meters, tag, "failed")).as("repeated, it is one failure").isEqualTo(1);
                assertThat(worked(meters, tag, "completed")).isEqualTo(1);
            }
            assertThat(meters.get("event.queue.api.wait").tags("tag", "a", "outcome", "nothing").timer().count())
                .isEqualTo(1);
            assertThat(meters.get("event.queue.api.wait").tag("tag", "other").timer().count()).isEqualTo(21);
            assertThat(meters.get("event.queue.api.waiting").gauge().value()).isZero();
        }
    }

    @Test
    void aReportLeadsToTheTraceOfItsRequest() {
        String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        try (FreshDatabase database = TestDatabase.H2.create(1);
                ApiServer server = ApiServer.startWithToken(database, ApiServer.Plain.class,
                        "management.tracing.sampling.probability=1")) {
            ApiClient api = server.client();
            String id = api.post("/events", event("x", "a")).field("id");
            api.get("/events/subscribe?tags=a&worker_id=w:1");
            api.post("/events/" + id + "/fail", ApiClient.failure("w:1", "x"), "traceparent",
                    "00-" + trace + "-00f067aa0ba902b7-01");
            assertThat(server.bean(JdbcTemplate.class)
                .queryForList("SELECT trace_id FROM eventlog.event_attempts WHERE action = 'FAILED'", String.class))
                .containsExactly(trace);
        }
    }

    private static double worked(MeterRegistry meters, String tag, String action) {
        return meters.get("event.queue.worked").tags("tag", tag, "action", action).counter().count();
    }

    /** Has its own way with everything that its controllers do. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Opinionated {

        @Bean
        OwnController ownController() {
            return new OwnController();
        }

        @Bean
        Wrapping wrapping() {
            return new Wrapping();
        }

    }

    record Own(int someName) {
    }

    record Wrapped(Object wrapped) {
    }

    @RestController
    static class OwnController {

        @GetMapping("/own")
        Own own() {
            return new Own(1);
        }

    }

    @RestControllerAdvice
    static class Wrapping implements ResponseBodyAdvice<Object> {

        @ExceptionHandler(Exception.class)
        ResponseEntity<String> anything(Exception e) {
            return ResponseEntity.status(418).body("the application's answer");
        }

        @Override
        public boolean supports(MethodParameter returnType, Class<? extends HttpMessageConverter<?>> converter) {
            return true;
        }

        @Override
        public Object beforeBodyWrite(Object body, MethodParameter returnType, MediaType type,
                Class<? extends HttpMessageConverter<?>> converter, ServerHttpRequest request,
                ServerHttpResponse response) {
            return new Wrapped(body);
        }

    }

}
