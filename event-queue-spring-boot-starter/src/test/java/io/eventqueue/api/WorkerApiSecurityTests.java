package io.eventqueue.api;

import static io.eventqueue.api.ApiClient.event;
import static io.eventqueue.api.ApiClient.report;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.eventqueue.api.ApiClient.Answer;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** Who gets in. */
@ExtendWith(OutputCaptureExtension.class)
class WorkerApiSecurityTests {

    @Test
    void refusesToStartOpenAndSaysWhatToDo(CapturedOutput output) {
        try (FreshDatabase database = TestDatabase.H2.create(1)) {
            Throwable failure = catchThrowable(() -> ApiServer.start(database, ApiServer.Plain.class).close());
            assertThat(failure).hasStackTraceContaining("UnprotectedApiException");
            assertThat(output).contains("nobody looks after access to /events")
                .contains("Set event-queue.api.token to a long random text");
        }
    }

    @Test
    void refusesToStartWhereSpringSecurityDoesNotCoverThePath() {
        try (FreshDatabase database = TestDatabase.H2.create(1)) {
            Throwable failure = catchThrowable(() -> ApiServer.start(database, AdminOnly.class).close());
            assertThat(failure).hasStackTraceContaining("no SecurityFilterChain of this application covers it");
            try (ApiServer server = ApiServer.startWithToken(database, AdminOnly.class)) {
                assertThat(server.client().get("/events").status()).as("with the token").isEqualTo(200);
                assertThat(server.client().as(null).get("/events").status()).isEqualTo(401);
            }
        }
    }

    @Test
    void refusesToStartWhereSpringSecurityCoversOnlyTheBasePath() {
        try (FreshDatabase database = TestDatabase.H2.create(1)) {
            Throwable failure = catchThrowable(() -> ApiServer.start(database, BasePathOnly.class).close());
            assertThat(failure).hasStackTraceContaining("nobody looks after access to /events/subscribe");
        }
    }

    @Test
    void theRolesOfTheApplicationDecide() {
        try (FreshDatabase database = TestDatabase.H2.create(1);
                ApiServer server = ApiServer.start(database, WithRoles.class)) {
            ApiClient producer = new ApiClient(server.url(), basic("producer"));
            ApiClient worker = producer.as(basic("worker"));
            ApiClient operator = producer.as(basic("operator"));

            Answer created = producer.post("/events", event("x", "a"));
            assertThat(created.status()).isEqualTo(201);
            String id = created.field("id");
            String subscribe = "/events/subscribe?tags=a&worker_id=w:1";
            for (ApiClient wrong : new ApiClient[] { producer, operator }) {
                assertForbidden(wrong, "GET", subscribe);
                assertForbidden(wrong, "POST", "/events/" + id + "/complete");
            }
            assertForbidden(worker, "POST", "/events");
            assertForbidden(worker, "POST", "/events/" + id + "/reset");
            assertForbidden(producer, "POST", "/events/" + id + "/reset");

            assertThat(worker.get("/events/subscribe?tags=a&wait=5&worker_id=w:1").status()).isEqualTo(200);
            assertThat(worker.get("/events/subscribe?tags=a&wait=50ms&worker_id=w:1").status())
                .as("also after an asynchronous wait")
                .isEqualTo(204);
            assertThat(operator.post("/events/" + id + "/reset?reason=test", "").status()).isEqualTo(200);
            assertThat(worker.get(subscribe).status()).isEqualTo(200);
            assertThat(worker.post("/events/" + id + "/complete", report("w:1")).status()).isEqualTo(200);
            assertThat(operator.get("/events").status()).isEqualTo(200);
            assertThat(producer.as(null).sendUnchecked("GET", "/events").status()).isEqualTo(401);
        }
    }

    @Test
    void neitherTokenNorPayloadNorForgedLinesReachTheLog(CapturedOutput output) {
        try (FreshDatabase database = TestDatabase.H2.create(1);
                ApiServer server = ApiServer.startWithToken(database, ApiServer.Plain.class,
                        "logging.level.io.eventqueue=TRACE")) {
            ApiClient api = server.client();
            api.post("/events", event("secret-payload", "a"));
            api.get("/events/subscribe?tags=a%0Aforged-tag&worker_id=w%0D%0Aforged-worker");
            api.as("Bearer wrong\tforged-token").get("/events");
            api.post("/events/%0Aforged-id/complete", report("w:1"));
        }
        assertThat(output).doesNotContain(ApiServer.TOKEN).doesNotContain("secret-payload").doesNotContain("forged");
    }

    private static void assertForbidden(ApiClient client, String method, String path) {
        Answer answer = client.sendUnchecked(method, path);
        assertThat(answer.status()).as(method + " " + path).isEqualTo(403);
    }

    private static String basic(String user) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableWebSecurity
    static class AdminOnly {

        @Bean
        SecurityFilterChain admin(HttpSecurity http) throws Exception {
            return http.securityMatcher("/admin/**")
                .authorizeHttpRequests(requests -> requests.anyRequest().hasRole("ADMIN"))
                .build();
        }

    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableWebSecurity
    static class BasePathOnly {

        @Bean
        SecurityFilterChain basePath(HttpSecurity http) throws Exception {
            return http.securityMatcher("/events")
                .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                .build();
        }

    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableWebSecurity
    static class WithRoles {

        @Bean
        SecurityFilterChain workerApi(HttpSecurity http) throws Exception {
            return http.securityMatcher("/events", "/events/**")
                .authorizeHttpRequests(requests -> requests.requestMatchers(HttpMethod.POST, "/events")
                    .hasRole("PRODUCER")
                    .requestMatchers(HttpMethod.POST, "/events/*/reset")
                    .hasRole("OPERATOR")
                    .requestMatchers(HttpMethod.GET, "/events/subscribe")
                    .hasRole("WORKER")
                    .requestMatchers(HttpMethod.POST, "/events/*/*")
                    .hasRole("WORKER")
                    .requestMatchers(HttpMethod.GET, "/events", "/events/*")
                    .hasAnyRole("PRODUCER", "WORKER", "OPERATOR")
                    .anyRequest()
                    .denyAll())
                .httpBasic(Customizer.withDefaults())
                .csrf(csrf -> csrf.disable())
                .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(user("producer"), user("worker"), user("operator"));
        }

        private static UserDetails user(String name) {
            return User.withUsername(name)
                .password("{noop}" + name)
                .roles(name.toUpperCase(java.util.Locale.ROOT))
                .build();
        }

    }

}
