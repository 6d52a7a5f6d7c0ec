package io.eventqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.EventHandler;
import io.eventqueue.EventQueue;
import io.eventqueue.handling.EventHandlingJob;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** When the loops run, beside a real web server. */
class EventQueueLifecycleTests {

    private static final List<String> log = new CopyOnWriteArrayList<>();

    @Test
    void runsAfterTheRunnersAndUntilBeforeTheWebServerStops() throws Exception {
        log.clear();
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class).run("--server.port=0",
                "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(), "--event-queue.handling.enabled=true");
        assertThat(log).containsExactly("loops in a runner: false");
        assertThat(context.getBean(EventHandlingJob.class).isRunning()).isTrue();
        context.getBean(EventQueue.class).publish(new Placed(1));
        assertThat(context.getBean(Application.class).entered.await(60, TimeUnit.SECONDS)).isTrue();
        context.close();
        assertThat(log).containsExactly("loops in a runner: false", "handler: pong, 1 row", "loops after stop: false",
                "web server after stop: pong");
    }

    record Placed(int number) {
    }

    @RestController
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        private final CountDownLatch entered = new CountDownLatch(1);

        private final CountDownLatch closing = new CountDownLatch(1);

        private final Environment environment;

        private final JdbcTemplate jdbc;

        Application(Environment environment, JdbcTemplate jdbc) {
            this.environment = environment;
            this.jdbc = jdbc;
        }

        @GetMapping("/ping")
        String ping() {
            return "pong";
        }

        private String pinged() {
            HttpRequest request = HttpRequest
                .newBuilder(URI.create("http://localhost:" + environment.getProperty("local.server.port") + "/ping"))
                .build();
            try (HttpClient client = HttpClient.newHttpClient()) {
                return client.send(request, BodyHandlers.ofString()).body();
            }
            catch (Exception e) {
                return e.toString();
            }
        }

        @EventListener(ContextClosedEvent.class)
        void closing() {
            closing.countDown();
        }

        /** Still runs when the application is told to stop, and needs all of it. */
        @EventHandler(name = "slow")
        void slow(Placed event) throws InterruptedException {
            entered.countDown();
            closing.await();
            log.add("handler: " + pinged() + ", " + jdbc.queryForObject("SELECT 1", Integer.class) + " row");
        }

        @Bean
        ApplicationRunner runner(EventHandlingJob job) {
            return arguments -> log.add("loops in a runner: " + job.isRunning());
        }

        /** Stops after the loops and before the web server begins to. */
        @Bean
        SmartLifecycle between(EventHandlingJob job) {
            return new SmartLifecycle() {
                private volatile boolean running;

                @Override
                public void start() {
                    running = true;
                }

                @Override
                public void stop() {
                    running = false;
                    log.add("loops after stop: " + job.isRunning());
                    log.add("web server after stop: " + pinged());
                }

                @Override
                public boolean isRunning() {
                    return running;
                }

                @Override
                public int getPhase() {
                    return WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE + 1;
                }
            };
        }

    }

}
