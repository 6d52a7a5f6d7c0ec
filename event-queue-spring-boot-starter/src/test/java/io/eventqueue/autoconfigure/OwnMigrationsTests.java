package io.eventqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.EventQueue;
import io.eventqueue.EventStatus;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.util.function.Consumer;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** The application's own migrations go on as if the queue were not there. */
class OwnMigrationsTests {

    @ParameterizedTest
    @EnumSource
    void leavesFlywayAlone(TestDatabase kind) {
        try (FreshDatabase database = kind.create()) {
            startTwice(database, FlywayAutoConfiguration.class, "spring.flyway.locations=classpath:own-flyway",
                    context -> assertThat(context.getBean(Flyway.class).info().all()).singleElement()
                        .satisfies(migration -> assertThat(migration.getScript()).isEqualTo("V1__own_table.sql")));
        }
    }

    @ParameterizedTest
    @EnumSource
    void leavesLiquibaseAlone(TestDatabase kind) {
        try (FreshDatabase database = kind.create()) {
            startTwice(database, LiquibaseAutoConfiguration.class,
                    "spring.liquibase.change-log=classpath:own-liquibase/changelog.sql",
                    context -> assertThat(context.getBean(JdbcTemplate.class)
                        .queryForList("SELECT FILENAME FROM DATABASECHANGELOG", String.class))
                        .containsExactly("own-liquibase/changelog.sql"));
        }
    }

    private static void startTwice(FreshDatabase database, Class<?> migrations, String where,
            Consumer<ApplicationContext> history) {
        ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(EventQueueAutoConfiguration.class,
                    DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class, migrations))
            .withPropertyValues("spring.datasource.url=" + database.jdbcUrl(),
                    "spring.datasource.username=" + database.user(),
                    "spring.datasource.password=" + database.password(), "spring.datasource.hikari.maximum-pool-size=5",
                    where);
        for (int start = 0; start < 2; start++) {
            runner.run(context -> {
                assertThat(context).hasNotFailed();
                JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                assertThat(jdbc.queryForObject("SELECT count(*) FROM own_table", Integer.class)).isZero();
                history.accept(context);
                EventQueue queue = context.getBean(EventQueue.class);
                assertThat(queue.find(queue.publish(new Placed(1)))).get()
                    .satisfies(event -> assertThat(event.status()).isEqualTo(EventStatus.PENDING));
            });
        }
    }

    record Placed(int number) {
    }

}
