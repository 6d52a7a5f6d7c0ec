package io.eventqueue.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.eventqueue.EventHandler;
import io.eventqueue.EventQueue;
import io.eventqueue.autoconfigure.EventQueueAutoConfiguration;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.management.JMException;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class EventQueueActuateAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(EventQueueAutoConfiguration.class, EndpointAutoConfiguration.class,
                EventQueueEndpointAutoConfiguration.class, EventQueueHealthAutoConfiguration.class,
                DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
        .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    // ---- endpoint

    @Test
    void theEndpointExistsWhereItIsExposed() {
        runner.withPropertyValues("management.endpoints.web.exposure.include=eventqueue")
            .run(context -> assertThat(context).hasSingleBean(EventQueueEndpoint.class)
                .hasSingleBean(EventQueueEndpointWebExtension.class));
        runner.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=eventqueue")
            .run(context -> assertThat(context).hasSingleBean(EventQueueEndpoint.class));
        runner.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(EventQueueEndpoint.class));
    }

    @Test
    void theOperationsCanBeCalledOverJmx() {
        MBeanServer server = MBeanServerFactory.newMBeanServer();
        runner.withConfiguration(AutoConfigurations.of(JmxAutoConfiguration.class, JmxEndpointAutoConfiguration.class))
            .withBean(Handlers.class)
            .withBean("mbeanServer", MBeanServer.class, () -> server)
            .withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=eventqueue")
            .run(context -> {
                context.getBean(EventHandlingJob.class).drainOneRound();
                ObjectName name = new ObjectName("org.springframework.boot:type=Endpoint,name=Eventqueue");
                assertThat(invoke(server, name, "act", "handlers", "mail", "pause"))
                    .isEqualTo(Map.of("handler", "mail", "action", "pause"));
                assertThat(invoke(server, name, "entry", "handlers", "mail")).asString().contains("paused=true");
                assertThat(
                        invoke(server, name, "section", "dead-letters", "mail", null, null, null, null, null, null, 10))
                    .isEqualTo(Map.of("deadLetters", List.of()));
            });
    }

    private static Object invoke(MBeanServer server, ObjectName name, String operation, Object... arguments)
            throws JMException {
        MBeanOperationInfo found = Arrays.stream(server.getMBeanInfo(name).getOperations())
            .filter(info -> info.getName().equals(operation))
            .findFirst()
            .orElseThrow();
        String[] signature = Arrays.stream(found.getSignature())
            .map(MBeanParameterInfo::getType)
            .toArray(String[]::new);
        return server.invoke(name, operation, arguments, signature);
    }

    @Test
    void nothingOfItExistsWithoutActuator() {
        runner.withClassLoader(new FilteredClassLoader(Endpoint.class, HealthIndicator.class))
            .run(context -> assertThat(context).hasNotFailed()
                .doesNotHaveBean(EventQueueEndpoint.class)
                .doesNotHaveBean("eventQueueHealthIndicator"));
    }

    @Test
    void nothingOfItExistsWithoutTheQueue() {
        new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(EndpointAutoConfiguration.class,
                    EventQueueEndpointAutoConfiguration.class, EventQueueHealthAutoConfiguration.class))
            .withPropertyValues("management.endpoints.web.exposure.include=*")
            .run(context -> assertThat(context).hasNotFailed()
                .doesNotHaveBean(EventQueueEndpoint.class)
                .doesNotHaveBean("eventQueueHealthIndicator"));
    }

    // ---- health

    @Test
    void healthCanBeSwitchedOffOrReplaced() {
        runner.withPropertyValues("management.health.eventqueue.enabled=false")
            .run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
        HealthIndicator own = () -> Health.up().build();
        runner.withBean("eventQueueHealthIndicator", HealthIndicator.class, () -> own)
            .run(context -> assertThat(context).getBean(HealthIndicator.class).isSameAs(own));
    }

    @Test
    void healthIsUpWhereLoopsAreNotWanted() {
        runner.run(context -> {
            Health health = context.getBean(HealthIndicator.class).health();

            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsEntry("fanout", "disabled").containsEntry("handling", "disabled");
        });
    }

    @Test
    void healthIsDownWhenLoopsThatAreWantedDoNotRun() {
        runner.withPropertyValues("event-queue.handling.enabled=true").run(context -> {
            HealthIndicator indicator = context.getBean(HealthIndicator.class);
            context.getBean(EventFanoutJob.class).start();
            context.getBean(EventHandlingJob.class).start();
            assertThat(indicator.health().getStatus()).isEqualTo(Status.UP);

            context.getBean(EventHandlingJob.class).stop();

            assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
            assertThat(indicator.health().getDetails()).containsEntry("fanout", "running")
                .containsEntry("handling", "stopped");
        });
    }

    @Test
    void healthIsDownWithoutTheDatabase() {
        runner.run(context -> {
            context.getBean(HikariDataSource.class).close();

            Health health = context.getBean(HealthIndicator.class).health();

            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.getDetails().get("shards")).asString().contains("error").contains("closed");
        });
    }

    /** Or an orchestrator would restart the nodes that work it off. */
    @Test
    void aBacklogIsMentionedAndLeavesHealthUp() {
        runner.withBean(Handlers.class)
            .withPropertyValues("event-queue.health.pending-age-warning=1ms")
            .run(context -> {
                context.getBean(EventQueue.class).publish(new Placed("A-1"));
                context.getBean(EventFanoutJob.class).drainOneRound();

                await().untilAsserted(() -> {
                    Health health = context.getBean(HealthIndicator.class).health();
                    assertThat(health.getStatus()).isEqualTo(Status.UP);
                    assertThat(((Map<?, ?>) health.getDetails().get("shards")).get("default")).asString()
                        .contains("behind=true");
                });
            });
    }

    record Placed(String id) {
    }

    static class Handlers {

        @EventHandler(name = "mail")
        void mail(Placed event) {
        }

    }

}
