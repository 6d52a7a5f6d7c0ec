package io.eventqueue.autoconfigure;

import io.eventqueue.ActionExecutor;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventInterceptor;
import io.eventqueue.EventQueue;
import io.eventqueue.EventQueueListener;
import io.eventqueue.EventSerializer;
import io.eventqueue.JobRegistry;
import io.eventqueue.Shard;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.PostgresSignals;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.outbox.TransactionalActionExecutor;
import io.eventqueue.outbox.TransactionalEventQueue;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.json.JsonMapper;

/**
 * The queue, the handlers found among the beans, and the jobs on the application's
 * DataSource. Every bean gives way to the application's own. The jobs always exist; their
 * loops run where {@code event-queue.handling.enabled} or
 * {@code event-queue.fanout.enabled} says so.
 */
@AutoConfiguration(after = { DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class },
        afterName = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration")
@ConditionalOnSingleCandidate(DataSource.class)
@EnableConfigurationProperties(EventQueueProperties.class)
public final class EventQueueAutoConfiguration {

    EventQueueAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    static Shard eventQueueShard(DataSource dataSource, ObjectProvider<PlatformTransactionManager> transactionManager) {
        PlatformTransactionManager own = transactionManager.getIfUnique();
        return own == null ? Shard.of("default", dataSource) : Shard.of("default", dataSource, own);
    }

    /**
     * After the application's own migrations, which might not accept tables in an empty
     * schema.
     */
    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    static Database eventQueueDatabase(Shard shard, EventQueueProperties properties) {
        if (properties.schema().migrate()) {
            SchemaMigration.migrate(shard.dataSource());
        }
        return Database.of(shard);
    }

    @Bean
    @ConditionalOnMissingBean
    static EventSerializer eventSerializer(ObjectProvider<JsonMapper> mapper, EventQueueProperties properties) {
        return new EventSerializer(mapper.getIfUnique(() -> JsonMapper.builder().build()),
                properties.maxPayloadSize().toBytes());
    }

    @Bean
    @ConditionalOnMissingBean
    static EventHandlerRegistry eventHandlerRegistry(ConfigurableListableBeanFactory beans) {
        return new HandlerDiscovery(beans).discover();
    }

    @Bean
    @ConditionalOnMissingBean(EventQueue.class)
    static TransactionalEventQueue eventQueue(Database database, EventSerializer serializer,
            ObjectProvider<EventInterceptor> interceptors, ObjectProvider<EventQueueListener> listeners,
            EventQueueProperties properties) {
        return TransactionalEventQueue.eventQueue(database)
            .serializer(serializer)
            .interceptors(interceptors.orderedStream().toList())
            .listener(EventQueueListener.all(listeners.orderedStream().toList()))
            .namespace(properties.namespace())
            .requireTransaction(properties.publish().requireTransaction())
            .build();
    }

    @Bean
    @ConditionalOnBean(TransactionalEventQueue.class)
    @ConditionalOnMissingBean(ActionExecutor.class)
    static TransactionalActionExecutor actionExecutor(TransactionalEventQueue queue) {
        return new TransactionalActionExecutor(queue);
    }

    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    static EventHandlingJob eventHandlingJob(Database database, EventHandlerRegistry registry,
            EventSerializer serializer, ObjectProvider<EventInterceptor> interceptors,
            ObjectProvider<EventQueueListener> listeners, EventQueueProperties properties) {
        return EventHandlingJob.eventHandlingJob()
            .databases(List.of(database))
            .eventHandlerRegistry(registry)
            .serializer(serializer)
            .interceptors(interceptors.orderedStream().toList())
            .listener(EventQueueListener.all(listeners.orderedStream().toList()))
            .retryPolicy(properties.retryPolicy())
            .pollDelay(properties.handlingPollDelay())
            .batchSize(properties.handlingBatchSize())
            .concurrency(properties.handling().concurrency())
            .retentionWindow(properties.handlingRetentionWindow())
            .abandonmentTimeout(properties.abandonmentTimeout())
            .shutdownTimeout(properties.shutdownTimeout())
            .logRetention(properties.logRetention())
            .notificationRetention(properties.notificationRetention())
            .build();
    }

    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    static EventFanoutJob eventFanoutJob(Database database, EventHandlerRegistry registry, EventHandlingJob handlingJob,
            ObjectProvider<EventQueueListener> listeners, EventQueueProperties properties) {
        return EventFanoutJob.eventFanoutJob()
            .databases(List.of(database))
            .eventHandlerRegistry(registry)
            .listener(EventQueueListener.all(listeners.orderedStream().toList()))
            .pollDelay(properties.fanoutPollDelay())
            .batchSize(properties.fanoutBatchSize())
            .retentionWindow(properties.handlingRetentionWindow())
            .handlingJob(properties.handling().enabled() ? handlingJob : null)
            .build();
    }

    /**
     * Fan-out is first, so that it stops before the handlers it feeds; signals are last.
     */
    @Bean
    @ConditionalOnMissingBean
    static EventQueueLifecycle eventQueueLifecycle(EventFanoutJob fanoutJob, EventHandlingJob handlingJob,
            ObjectProvider<PostgresSignals> signals, EventQueueProperties properties) {
        JobRegistry.Builder jobs = JobRegistry.jobRegistry();
        if (properties.runsFanout()) {
            jobs.withJob(fanoutJob);
        }
        if (properties.handling().enabled()) {
            jobs.withJob(handlingJob);
        }
        if (properties.runsFanout() || properties.handling().enabled()) {
            signals.ifAvailable(jobs::withJob);
        }
        return new EventQueueLifecycle(jobs.build());
    }

    /**
     * Signals between nodes; without PostgreSQL behind the DataSource it does nothing.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.postgresql.PGConnection")
    static final class PostgresConfiguration {

        private static final Duration DEBOUNCE = Duration.ofMillis(5);

        /**
         * Listens on a connection outside the pool where its address is known, as it is
         * held for good.
         */
        @Bean(destroyMethod = "")
        @ConditionalOnMissingBean
        static PostgresSignals eventQueuePostgresSignals(Database database,
                ObjectProvider<JdbcConnectionDetails> connectionDetails) {
            DataSource pool = database.shard().dataSource();
            JdbcConnectionDetails details = connectionDetails.getIfUnique();
            DataSource listenSource = details == null || !database.dialect().notifies() ? pool : unpooled(details);
            return new PostgresSignals(database, listenSource, DEBOUNCE);
        }

        private static DataSource unpooled(JdbcConnectionDetails details) {
            DriverManagerDataSource source = new DriverManagerDataSource(details.getJdbcUrl());
            source.setUsername(details.getUsername());
            source.setPassword(details.getPassword());
            return source;
        }

    }

}
