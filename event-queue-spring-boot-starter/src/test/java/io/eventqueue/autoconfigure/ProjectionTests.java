package io.eventqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventLogProjection;
import io.eventqueue.EventQueue;
import io.eventqueue.ProjectionContext;
import io.eventqueue.QueuedEvent;
import io.eventqueue.autoconfigure.actuate.EventQueueHealthAutoConfiguration;
import io.eventqueue.autoconfigure.observe.EventQueueMetricsAutoConfiguration;
import io.eventqueue.log.ProjectionJob;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class ProjectionTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(
                AutoConfigurations.of(EventQueueAutoConfiguration.class, EventQueueMetricsAutoConfiguration.class,
                        EventQueueHealthAutoConfiguration.class, DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class, MetricsAutoConfiguration.class,
                        CompositeMeterRegistryAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class))
        .withBean(Numbers.class)
        .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                "event-queue.projections.poll-delay=20ms", "event-queue.metrics.interval=20ms");

    private final ApplicationContextRunner enabled = runner.withPropertyValues("event-queue.handling.enabled=true");

    @Test
    void beansAreFoundAndRunWhereHandlersRun() {
        enabled.run(context -> {
            finish(context, 1);
            finish(context, 2);

            await().untilAsserted(() -> assertThat(context.getBean(Numbers.class).seen).containsExactly(1, 2));
            assertThat(context.getBean(HealthIndicator.class).health()).satisfies(health -> {
                assertThat(health.getStatus()).isEqualTo(Status.UP);
                assertThat(health.getDetails()).containsEntry("projections", "running");
            });
        });
    }

    @Test
    void theyDoNotRunElsewhereButCanBeAsked() {
        runner.run(context -> {
            finish(context, 1);
            ProjectionJob job = context.getBean(ProjectionJob.class);

            assertThat(job.isRunning()).isFalse();
            assertThat(job.status()).singleElement().satisfies(status -> assertThat(status.lag()).isEqualTo(1));
            assertThat(context.getBean(HealthIndicator.class).health().getDetails()).containsEntry("projections",
                    "disabled");
            job.drainOneRound();
            assertThat(context.getBean(Numbers.class).seen).containsExactly(1);
        });
    }

    @Test
    void healthIsDownWhenTheirLoopsAreWantedAndDoNotRun() {
        enabled.run(context -> {
            context.getBean(ProjectionJob.class).stop();

            Health health = context.getBean(HealthIndicator.class).health();
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.getDetails()).containsEntry("projections", "stopped");
        });
    }

    @Test
    void failureAndLagAreMeters() {
        enabled.run(context -> {
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            Numbers numbers = context.getBean(Numbers.class);
            assertThat(counter(meters, "projection.failures")).as("there before anything happens").isZero();
            numbers.broken = true;
            finish(context, 1);
            finish(context, 2);

            await().untilAsserted(() -> {
                assertThat(counter(meters, "projection.failures")).isGreaterThan(1);
                assertThat(lag(meters)).isEqualTo(2);
            });
            assertThat(counter(meters, "projected")).isZero();

            numbers.broken = false;
            await().untilAsserted(() -> {
                assertThat(counter(meters, "projected")).isEqualTo(2);
                assertThat(lag(meters)).isZero();
            });
        });
    }

    @Test
    void theBatchSizeIsOneTransaction() {
        runner.withPropertyValues("event-queue.projections.batch-size=2").run(context -> {
            for (int i = 0; i < 3; i++) {
                finish(context, i);
            }
            ProjectionJob job = context.getBean(ProjectionJob.class);

            assertThat(List.of(job.drainOneRound(), job.drainOneRound())).containsExactly(2, 1);
        });
    }

    @Test
    void theApplicationsOwnJobGoesFirst() {
        runner.withBean("own", ProjectionJob.class, () -> {
            throw new IllegalStateException("asked for");
        }).run(context -> assertThat(context).getFailure().hasRootCauseMessage("asked for"));
    }

    private static void finish(BeanFactory context, int number) {
        EventQueue queue = context.getBean(EventQueue.class);
        queue.publish(new Placed(number));
        queue.finalizeEvent(queue.poll().orElseThrow(), List.of());
    }

    private static double counter(MeterRegistry meters, String name) {
        return meters.get("event.queue." + name).tags("projection", "numbers", "shard", "default").counter().count();
    }

    private static double lag(MeterRegistry meters) {
        return meters.get("event.queue.projection.lag")
            .tags("projection", "numbers", "shard", "default")
            .gauge()
            .value();
    }

    record Placed(int number) {
    }

    static class Numbers implements EventLogProjection {

        final List<Integer> seen = new CopyOnWriteArrayList<>();

        volatile boolean broken;

        @Override
        public String name() {
            return "numbers";
        }

        @Override
        public void handle(QueuedEvent event, ProjectionContext context) {
            if (broken) {
                throw new IllegalStateException("broken");
            }
            seen.add(context.read(event, Placed.class).number());
        }

    }

}
