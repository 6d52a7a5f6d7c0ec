package io.eventqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventHandler;
import io.eventqueue.EventQueue;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

/** One process publishes and runs no loops, another one handles. */
class PublishOnlyProcessTests {

    @Test
    void wakesTheProcessThatHandlesLongBeforeItsPollDelay() {
        try (FreshDatabase database = TestDatabase.POSTGRESQL.create(2)) {
            process(database, "event-queue.handling.enabled=true", "event-queue.fanout-poll-delay=10m",
                    "event-queue.handling-poll-delay=10m")
                .withBean(Recorder.class)
                .run(handling -> process(database).run(publishing -> {
                    JdbcTemplate jdbc = new JdbcTemplate(database.dataSource());
                    await().until(() -> listeners(jdbc) == 1);
                    List<Integer> handled = handling.getBean(Recorder.class).handled;
                    for (int number = 0; number < 3; number++) {
                        int expected = number;
                        publishing.getBean(EventQueue.class).publish(new Placed(number));
                        await().until(() -> handled.contains(expected));
                    }
                    assertThat(listeners(jdbc)).as("connections that listen").isEqualTo(1);
                }));
        }
    }

    private static ApplicationContextRunner process(FreshDatabase database, String... properties) {
        return new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class, EventQueueAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=" + database.jdbcUrl(),
                    "spring.datasource.username=" + database.user(),
                    "spring.datasource.password=" + database.password())
            .withPropertyValues(properties);
    }

    private static int listeners(JdbcTemplate jdbc) {
        Integer found = jdbc.queryForObject("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
                + " AND datname = current_database()", Integer.class);
        return found == null ? 0 : found;
    }

    record Placed(int number) {
    }

    static class Recorder {

        final List<Integer> handled = new CopyOnWriteArrayList<>();

        @EventHandler(name = "record")
        void handle(Placed event) {
            handled.add(event.number());
        }

    }

}
