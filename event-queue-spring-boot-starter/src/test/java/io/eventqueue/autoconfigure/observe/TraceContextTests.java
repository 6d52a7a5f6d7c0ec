package io.eventqueue.autoconfigure.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventEnvelope;
import io.eventqueue.EventHandler;
import io.eventqueue.EventQueue;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** With a real tracer: OpenTelemetry behind Micrometer, spans kept in memory. */
class TraceContextTests {

    private static final List<SpanData> SPANS = new CopyOnWriteArrayList<>();

    private static final List<String> TRACES_SEEN_BY_THE_HANDLER = new CopyOnWriteArrayList<>();

    private static volatile int attemptsToFail;

    @BeforeEach
    void reset() {
        SPANS.clear();
        TRACES_SEEN_BY_THE_HANDLER.clear();
        attemptsToFail = 0;
    }

    @ParameterizedTest
    @EnumSource(names = { "H2", "POSTGRESQL" })
    void everyAttemptBelongsToTheTraceOfThePublisher(TestDatabase kind) {
        attemptsToFail = Integer.MAX_VALUE;
        String trace;
        UUID id;
        try (FreshDatabase fresh = kind.create(1)) {
            try (ConfigurableApplicationContext first = start(fresh)) {
                Tracer tracer = first.getBean(Tracer.class);
                Span request = tracer.nextSpan().name("request").start();
                try (Tracer.SpanInScope scope = tracer.withSpan(request)) {
                    id = first.getBean(EventQueue.class).publish(new Placed("A-1"));
                }
                finally {
                    request.end();
                }
                trace = request.context().traceId();
                await().until(() -> TRACES_SEEN_BY_THE_HANDLER.size() >= 2);
            }
            int before = TRACES_SEEN_BY_THE_HANDLER.size();
            attemptsToFail = 0;
            try (ConfigurableApplicationContext second = start(fresh)) {
                await().until(() -> TRACES_SEEN_BY_THE_HANDLER.size() > before);
            }
            assertThat(new JdbcTemplate(fresh.dataSource())
                .queryForList("SELECT trace_id FROM eventlog.event_attempts WHERE action = 'FAILED'", String.class))
                .as("the trace kept with each failure")
                .hasSize(before)
                .containsOnly(trace);
        }

        assertThat(TRACES_SEEN_BY_THE_HANDLER).hasSizeGreaterThanOrEqualTo(3).containsOnly(trace);
        SpanData publish = spans("publish Placed").getFirst();
        assertThat(publish.getTraceId()).isEqualTo(trace);
        assertThat(publish.getKind()).isEqualTo(SpanKind.PRODUCER);
        List<SpanData> attempts = spans("handle confirm");
        assertThat(attempts).hasSameSizeAs(TRACES_SEEN_BY_THE_HANDLER).allSatisfy(span -> {
            assertThat(span.getTraceId()).isEqualTo(trace);
            assertThat(span.getParentSpanId()).isEqualTo(publish.getSpanId());
            assertThat(span.getKind()).isEqualTo(SpanKind.CONSUMER);
            assertThat(attribute(span, "event.id")).isEqualTo(id.toString());
        });
        assertThat(attempts.getFirst().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(attempts.getFirst().getEvents()).as("the exception").isNotEmpty();
        assertThat(attribute(attempts.getFirst(), "outcome")).isEqualTo("exception");
        assertThat(attribute(attempts.getFirst(), "attempt")).isEqualTo("1");
        assertThat(attribute(attempts.getLast(), "outcome")).isEqualTo("success");
        assertThat(attribute(attempts.getLast(), "attempt")).isEqualTo(String.valueOf(attempts.size()));
    }

    @Test
    void anEventPublishedByAHandlerContinuesItsTrace() {
        try (FreshDatabase fresh = TestDatabase.H2.create(1); ConfigurableApplicationContext context = start(fresh)) {
            context.getBean(EventQueue.class).publish(new Placed("A-2"));
            // The second handler can end before the first, which published for it.
            await().until(() -> !spans("handle ship").isEmpty() && !spans("handle confirm").isEmpty());

            SpanData published = spans("publish Placed").getFirst();
            assertThat(spans("publish Confirmed").getFirst().getParentSpanId())
                .isEqualTo(spans("handle confirm").getFirst().getSpanId());
            assertThat(spans("handle ship").getFirst().getTraceId()).isEqualTo(published.getTraceId());
        }
    }

    @Test
    void anAttemptEndedByItsTimeoutLeadsToItsTrace() {
        try (FreshDatabase fresh = TestDatabase.H2.create(1); ConfigurableApplicationContext context = start(fresh)) {
            context.getBean(EventQueue.class).publish(new Stuck());
            await().until(() -> !spans("handle stuck").isEmpty());

            await().untilAsserted(() -> assertThat(new JdbcTemplate(fresh.dataSource())
                .queryForList("SELECT trace_id FROM eventlog.event_attempts", String.class))
                .containsExactly(spans("handle stuck").getFirst().getTraceId()));
        }
    }

    private static List<SpanData> spans(String name) {
        return SPANS.stream().filter(span -> span.getName().equals(name)).toList();
    }

    private static String attribute(SpanData span, String key) {
        return span.getAttributes().get(AttributeKey.stringKey(key));
    }

    private static ConfigurableApplicationContext start(FreshDatabase fresh) {
        return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
            .run("--spring.datasource.url=" + fresh.jdbcUrl(), "--spring.datasource.username=" + fresh.user(),
                    "--spring.datasource.password=" + fresh.password(), "--management.tracing.sampling.probability=1",
                    "--event-queue.handling.enabled=true", "--event-queue.handling-poll-delay=50ms",
                    "--event-queue.handling.initial-backoff=50ms", "--event-queue.handling-max-backoff-cap=50ms",
                    "--spring.main.banner-mode=off");
    }

    record Placed(String id) {
    }

    record Stuck() {
    }

    record Confirmed(String id) {
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        SpanProcessor keepSpans() {
            return new KeepSpans();
        }

        @Bean
        Handlers handlers(Tracer tracer, EventQueue queue) {
            return new Handlers(tracer, queue);
        }

    }

    static class KeepSpans implements SpanProcessor {

        @Override
        public void onStart(Context parent, ReadWriteSpan span) {
        }

        @Override
        public boolean isStartRequired() {
            return false;
        }

        @Override
        public void onEnd(ReadableSpan span) {
            SPANS.add(span.toSpanData());
        }

        @Override
        public boolean isEndRequired() {
            return true;
        }

    }

    record Handlers(Tracer tracer, EventQueue queue) {

        @EventHandler(name = "confirm")
        void confirm(Placed event, EventEnvelope<Placed> envelope) {
            TRACES_SEEN_BY_THE_HANDLER.add(tracer.currentSpan().context().traceId());
            if (envelope.attempt() <= attemptsToFail) {
                throw new IllegalStateException("mail server is away");
            }
            queue.publish(new Confirmed(event.id()));
        }

        /** Long enough for its span to begin on a slow machine. */
        @EventHandler(name = "stuck", timeout = "2s", maxAttempts = 1)
        void hang(Stuck event) throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @EventHandler(name = "ship")
        void ship(Confirmed event) {
        }

    }

}
