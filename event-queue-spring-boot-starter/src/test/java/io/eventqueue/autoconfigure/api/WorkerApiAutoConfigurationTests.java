package io.eventqueue.autoconfigure.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.api.WaitingWorkers;
import io.eventqueue.autoconfigure.EventQueueAutoConfiguration;
import io.eventqueue.autoconfigure.observe.EventQueueMetricsAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.web.servlet.function.RouterFunction;

class WorkerApiAutoConfigurationTests {

    private static final AutoConfigurations CONFIGURATIONS = AutoConfigurations.of(DataSourceAutoConfiguration.class,
            DataSourceTransactionManagerAutoConfiguration.class, EventQueueAutoConfiguration.class,
            WorkerApiAutoConfiguration.class, EventQueueMetricsAutoConfiguration.class);

    private static final String URL = "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    private final WebApplicationContextRunner web = new WebApplicationContextRunner().withConfiguration(CONFIGURATIONS)
        .withPropertyValues(URL);

    private final WebApplicationContextRunner enabled = web.withPropertyValues("event-queue.api.enabled=true",
            "event-queue.api.token=secret");

    @Test
    void isOffByDefault() {
        web.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RouterFunction.class));
        web.withPropertyValues("event-queue.api.token=secret")
            .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(WaitingWorkers.class));
    }

    @Test
    void isServedWhereItIsEnabled() {
        enabled.run(context -> assertThat(context).hasNotFailed()
            .hasSingleBean(RouterFunction.class)
            .getBean(WaitingWorkers.class)
            .satisfies(waiting -> assertThat(waiting.isRunning()).isTrue()));
    }

    @Test
    void isNotServedWithoutAWebApplicationOrWithoutSpringMvc() {
        new ApplicationContextRunner().withConfiguration(CONFIGURATIONS)
            .withPropertyValues(URL, "event-queue.api.enabled=true")
            .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(WaitingWorkers.class));
        enabled.withClassLoader(new FilteredClassLoader(RouterFunction.class))
            .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(WaitingWorkers.class));
    }

    @Test
    void needsNeitherSpringSecurityNorMicrometer() {
        enabled
            .withClassLoader(new FilteredClassLoader(FilterChainProxy.class.getPackageName(),
                    MeterRegistry.class.getPackageName()))
            .run(context -> assertThat(context).hasNotFailed().hasSingleBean(RouterFunction.class));
    }

    @Test
    void refusesToBeOpen() {
        WebApplicationContextRunner open = web.withPropertyValues("event-queue.api.enabled=true");
        assertRefusedAsOpen(open);
        assertRefusedAsOpen(open.withClassLoader(new FilteredClassLoader(FilterChainProxy.class.getPackageName())));
    }

    @Test
    void refusesSettingsThatCannotWork() {
        assertRefused("event-queue.api.token= ", "event-queue.api.token is blank");
        assertRefused("event-queue.api.base-path=events/", "event-queue.api.base-path is \"events/\"");
        assertRefused("event-queue.api.lease=0s", "event-queue.api.lease is PT0S");
        assertRefused("event-queue.api.max-wait=-1s", "event-queue.api.max-wait is PT-1S");
        assertRefused("event-queue.api.max-body-size=3GB", "event-queue.api.max-body-size is");
    }

    private static void assertRefusedAsOpen(WebApplicationContextRunner open) {
        open.run(context -> assertThat(context).getFailure()
            .isInstanceOf(UnprotectedApiException.class)
            .hasMessageContaining("no event-queue.api.token is set, and Spring Security is not configured"));
    }

    private void assertRefused(String property, String message) {
        enabled.withPropertyValues(property)
            .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining(message));
    }

}
