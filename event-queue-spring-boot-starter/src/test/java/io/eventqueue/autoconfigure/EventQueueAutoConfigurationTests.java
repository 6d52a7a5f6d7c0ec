package io.eventqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.eventqueue.Action;
import io.eventqueue.ActionExecutor;
import io.eventqueue.AmbiguousShardException;
import io.eventqueue.EventHandler;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventQueue;
import io.eventqueue.EventSerializer;
import io.eventqueue.HandlerResult;
import io.eventqueue.Job;
import io.eventqueue.JobRegistry;
import io.eventqueue.Shard;
import io.eventqueue.TransactionRequiredException;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.SchemaMigration;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** One test per condition and per bean. */
class EventQueueAutoConfigurationTests {

    private final ApplicationContextRunner withoutDataSource = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(EventQueueAutoConfiguration.class));

    private final ApplicationContextRunner runner = withoutDataSource
        .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
                DataSourceTransactionManagerAutoConfiguration.class))
        .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    @Test
    void doesNothingWithoutDataSource() {
        withoutDataSource.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(EventQueue.class));
    }

    @Test
    void startsNoLoopByDefault() {
        runner.run(context -> {
            assertThat(context.getBean(EventFanoutJob.class).isRunning()).isFalse();
            assertThat(context.getBean(EventHandlingJob.class).isRunning()).isFalse();
        });
    }

    @Test
    void startsFanoutAlone() {
        runner.withPropertyValues("event-queue.fanout.enabled=true").run(context -> {
            assertThat(context.getBean(EventFanoutJob.class).isRunning()).isTrue();
            assertThat(context.getBean(EventHandlingJob.class).isRunning()).isFalse();
        });
    }

    @Test
    void startsHandlingWithoutFanout() {
        runner.withPropertyValues("event-queue.handling.enabled=true", "event-queue.fanout.enabled=false")
            .run(context -> {
                assertThat(context.getBean(EventFanoutJob.class).isRunning()).isFalse();
                assertThat(context.getBean(EventHandlingJob.class).isRunning()).isTrue();
            });
    }

    @Test
    void stopsWithTheContextAndStartsAgain() {
        runner.withPropertyValues("event-queue.handling.enabled=true").run(context -> {
            EventHandlingJob job = context.getBean(EventHandlingJob.class);
            ConfigurableApplicationContext stoppable = context.getSourceApplicationContext();
            stoppable.stop();
            assertThat(job.isRunning()).isFalse();
            stoppable.start();
            assertThat(job.isRunning()).isTrue();
        });
    }

    @Test
    void createsNoTablesWithoutMigration() {
        runner.withPropertyValues("event-queue.schema.migrate=false").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(tables(context.getBean(DataSource.class))).doesNotContain("EVENTS");
        });
        runner.run(context -> assertThat(tables(context.getBean(DataSource.class))).contains("EVENTS"));
    }

    @Test
    void refusesToPublishOutsideATransactionWhenToldTo() {
        runner.withPropertyValues("event-queue.publish.require-transaction=true")
            .run(context -> assertThatThrownBy(() -> context.getBean(EventQueue.class).publish(new Greeted("Ada")))
                .isInstanceOf(TransactionRequiredException.class));
    }

    @Test
    void usesTheApplicationsJsonMapper() {
        JsonMapper mapper = JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();
        record Named(String firstName) {
        }
        runner.withBean(JsonMapper.class, () -> mapper)
            .run(context -> assertThat(context.getBean(EventSerializer.class).payloadOf(new Named("Ada"), "Named"))
                .isEqualTo("{\"first_name\":\"Ada\"}"));
    }

    // ---- every bean gives way

    @Test
    void givesWayToTheApplicationsOwnQueue() {
        EventQueue own = (EventQueue) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] { EventQueue.class }, (proxy, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> 1;
                    case "equals" -> proxy == arguments[0];
                    default -> "own";
                });
        runner.withBean("own", EventQueue.class, () -> own)
            .run(context -> assertThat(context).hasNotFailed()
                .doesNotHaveBean(ActionExecutor.class)
                .getBean(EventQueue.class)
                .isSameAs(own));
    }

    @Test
    void givesWayToTheApplicationsOwnRegistry() {
        EventHandlerRegistry own = EventHandlerRegistry.eventHandlerRegistry()
            .withHandler(Greeted.class, "own", event -> HandlerResult.success())
            .build();
        givesWayTo(EventHandlerRegistry.class, own);
    }

    @Test
    void givesWayToTheApplicationsOwnSerializer() {
        givesWayTo(EventSerializer.class, EventSerializer.standard());
    }

    @Test
    void givesWayToTheApplicationsOwnActionExecutor() {
        givesWayTo(ActionExecutor.class, new ActionExecutor() {
            @Override
            public <T> T execute(String name, Object parameters, Action<T> action) {
                throw new UnsupportedOperationException();
            }
        });
    }

    @Test
    void givesWayToTheApplicationsOwnShardAndDatabase() {
        DataSource dataSource = inMemory();
        SchemaMigration.migrate(dataSource);
        givesWayTo(Shard.class, Shard.of("own", dataSource));
        givesWayTo(Database.class, Database.of(Shard.of("own", dataSource)));
    }

    @Test
    void givesWayToTheApplicationsOwnJobs() {
        DataSource dataSource = inMemory();
        SchemaMigration.migrate(dataSource);
        List<Database> databases = List.of(Database.of(Shard.of("own", dataSource)));
        givesWayTo(EventHandlingJob.class, EventHandlingJob.eventHandlingJob().databases(databases).build());
        givesWayTo(EventFanoutJob.class, EventFanoutJob.eventFanoutJob().databases(databases).build());
        givesWayTo(JobRegistry.class, JobRegistry.jobRegistry().build());
    }

    private <T> void givesWayTo(Class<T> type, T own) {
        runner.withBean("own", type, () -> own)
            .run(context -> assertThat(context).hasNotFailed().getBean(type).isSameAs(own));
    }

    @Test
    void runsFurtherJobsWhereHandlersRun() {
        AtomicBoolean running = new AtomicBoolean();
        Job further = new Job() {
            @Override
            public int drainOneRound() {
                return 0;
            }

            @Override
            public void start() {
                running.set(true);
            }

            @Override
            public void stop() {
                running.set(false);
            }

            @Override
            public boolean isRunning() {
                return running.get();
            }
        };
        runner.withBean("further", Job.class, () -> further).run(context -> assertThat(running).isFalse());
        runner.withBean("further", Job.class, () -> further)
            .withPropertyValues("event-queue.handling.enabled=true")
            .run(context -> assertThat(running).isTrue());
        assertThat(running).isFalse();
    }

    // ---- DataSources

    @Test
    void usesThePrimaryOfSeveralDataSources() {
        withoutDataSource.withUserConfiguration(TwoDataSources.class)
            .withBean("main", DataSource.class, EventQueueAutoConfigurationTests::inMemory,
                    definition -> definition.setPrimary(true))
            .run(context -> assertThat(context.getBean(Shard.class).dataSource()).isSameAs(context.getBean("main")));
    }

    @Test
    void usesTheDataSourceChosenByNameWithItsTransactionManager() {
        withoutDataSource.withUserConfiguration(TwoDataSources.class)
            .withPropertyValues("event-queue.datasource=archive")
            .run(context -> {
                Shard shard = context.getBean(Shard.class);
                assertThat(shard.name()).isEqualTo("archive");
                assertThat(shard.dataSource()).isSameAs(context.getBean("archive"));
                assertThat(shard.transactionManager()).isSameAs(context.getBean("archiveTransactions"));
            });
    }

    @Test
    void makesATransactionManagerWhereTheOnlyOneIsForAnotherDataSource() {
        withoutDataSource.withUserConfiguration(TwoDataSources.class)
            .withPropertyValues("event-queue.datasource=orders")
            .run(context -> {
                Shard shard = context.getBean(Shard.class);
                assertThat(shard.transactionManager()).isInstanceOfSatisfying(JdbcTransactionManager.class,
                        own -> assertThat(own.getDataSource()).isSameAs(context.getBean("orders")));
            });
    }

    @Test
    void usesTheOnlyTransactionManagerIfItManagesAllDataSources() {
        PlatformTransactionManager global = new AbstractPlatformTransactionManager() {
            @Override
            protected Object doGetTransaction() {
                return new Object();
            }

            @Override
            protected void doBegin(Object transaction, TransactionDefinition definition) {
            }

            @Override
            protected void doCommit(DefaultTransactionStatus status) {
            }

            @Override
            protected void doRollback(DefaultTransactionStatus status) {
            }
        };
        withoutDataSource.withBean("main", DataSource.class, EventQueueAutoConfigurationTests::inMemory)
            .withBean("global", PlatformTransactionManager.class, () -> global)
            .run(context -> assertThat(context.getBean(Shard.class).transactionManager()).isSameAs(global));
    }

    @Test
    void looksBelowAProxyThatTransactionsLookBelow() {
        DataSource target = inMemory();
        withoutDataSource.withBean(DataSource.class, () -> new TransactionAwareDataSourceProxy(target))
            .withBean(PlatformTransactionManager.class, () -> new JdbcTransactionManager(target))
            .run(context -> {
                assertThat(context.getBean(Shard.class).dataSource()).isSameAs(target);
                EventQueue queue = context.getBean(EventQueue.class);
                UUID[] id = new UUID[1];
                new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(status -> {
                        id[0] = queue.publish(new Greeted("Ada"));
                        status.setRollbackOnly();
                    });
                assertThat(queue.find(id[0])).isEmpty();
            });
    }

    @Test
    void worksOnSeveralShards() {
        List<String> handled = new CopyOnWriteArrayList<>();
        withoutDataSource.withUserConfiguration(TwoDataSources.class)
            .withBean(Greetings.class, () -> new Greetings(handled))
            .withPropertyValues("event-queue.shards=orders,archive", "event-queue.handling.enabled=true")
            .run(context -> {
                assertThat(context).hasNotFailed();
                EventQueue queue = context.getBean(EventQueue.class);
                DataSource archive = context.getBean("archive", DataSource.class);
                new TransactionTemplate(context.getBean("archiveTransactions", PlatformTransactionManager.class))
                    .executeWithoutResult(status -> queue.publish(new Greeted("Ada")));
                new TransactionTemplate(new JdbcTransactionManager(context.getBean("orders", DataSource.class)))
                    .executeWithoutResult(status -> queue.publish(new Greeted("Grace")));
                await().untilAsserted(() -> assertThat(handled).containsExactlyInAnyOrder("Ada", "Grace"));
                assertThat(new JdbcTemplate(archive).queryForObject("""
                        SELECT count(*) FROM (SELECT id FROM eventlog.events
                            UNION SELECT id FROM eventlog.event_log)""", Integer.class)).isEqualTo(1);
                assertThatThrownBy(() -> queue.publish(new Greeted("nobody")))
                    .isInstanceOf(AmbiguousShardException.class);
                ActionExecutor actions = context.getBean(ActionExecutor.class);
                assertThatThrownBy(() -> actions.execute("greet", Map.of(), raised -> 1))
                    .isInstanceOf(AmbiguousShardException.class);
            });
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDataSources {

        @Bean
        DataSource orders() {
            return inMemory();
        }

        @Bean
        DataSource archive() {
            return inMemory();
        }

        @Bean
        PlatformTransactionManager archiveTransactions(@Qualifier("archive") DataSource archive) {
            return new JdbcTransactionManager(archive);
        }

    }

    private static DataSource inMemory() {
        return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    }

    private static List<String> tables(DataSource dataSource) {
        return new JdbcTemplate(dataSource).queryForList("SELECT table_name FROM information_schema.tables",
                String.class);
    }

    record Greeted(String name) {
    }

    record Greetings(List<String> handled) {

        @EventHandler(name = "greet")
        void on(Greeted event) {
            handled.add(event.name());
        }

    }

}
