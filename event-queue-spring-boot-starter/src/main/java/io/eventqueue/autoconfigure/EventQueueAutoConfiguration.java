package io.eventqueue.autoconfigure;

import io.eventqueue.ActionExecutor;
import io.eventqueue.DeadLetters;
import io.eventqueue.EventConsumer;
import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.EventInterceptor;
import io.eventqueue.EventLogProjection;
import io.eventqueue.EventQueue;
import io.eventqueue.EventQueueListener;
import io.eventqueue.EventSerializer;
import io.eventqueue.Job;
import io.eventqueue.JobRegistry;
import io.eventqueue.Shard;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import io.eventqueue.handling.StoredDeadLetters;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.PostgresSignals;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.log.ProjectionJob;
import io.eventqueue.outbox.TransactionalActionExecutor;
import io.eventqueue.outbox.TransactionalEventConsumer;
import io.eventqueue.outbox.TransactionalEventQueue;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.json.JsonMapper;

/**
 * The queue, the handlers found among the beans, and the jobs on the application's
 * DataSource. Every bean gives way to the application's own. The jobs always exist; their
 * loops run where {@code event-queue.handling.enabled} or
 * {@code event-queue.fanout.enabled} says so.
 *
 * <p>
 * Whatever works on all shards takes a {@code List<Database>}, which has one element
 * unless {@code event-queue.shards} names more, or the application declares several
 * {@code Database} beans itself.
 */
@AutoConfiguration(after = { DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class },
        afterName = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration")
@ConditionalOnBean(DataSource.class)
@EnableConfigurationProperties(EventQueueProperties.class)
public final class EventQueueAutoConfiguration {

    private static final Duration NOTIFY_DEBOUNCE = Duration.ofMillis(5);

    EventQueueAutoConfiguration() {
    }

    /** The usual case: everything on one DataSource. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(ShardConditions.OneDataSource.class)
    static final class OneDataSourceConfiguration {

        @Bean
        @ConditionalOnMissingBean({ Shard.class, Database.class })
        static Shard eventQueueShard(ListableBeanFactory beans, EventQueueProperties properties) {
            String chosen = properties.datasource();
            ShardFactory shards = new ShardFactory(beans);
            return chosen == null ? shards.ofPrimary() : shards.named(chosen, "datasource");
        }

        /**
         * After the application's own migrations, which might not accept tables in an
         * empty schema.
         */
        @Bean
        @ConditionalOnMissingBean
        @DependsOnDatabaseInitialization
        static Database eventQueueDatabase(Shard shard, EventQueueProperties properties) {
            return database(shard, properties);
        }

    }

    /** Several DataSources, named by {@code event-queue.shards}. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(ShardConditions.SeveralDataSources.class)
    static final class ShardsConfiguration {

        @Bean
        @ConditionalOnMissingBean(Database.class)
        @DependsOnDatabaseInitialization
        static List<Database> eventQueueDatabases(ListableBeanFactory beans, EventQueueProperties properties) {
            ShardFactory shards = new ShardFactory(beans);
            return properties.shards()
                .stream()
                .map(name -> database(shards.named(name, "shards"), properties))
                .toList();
        }

    }

    private static Database database(Shard shard, EventQueueProperties properties) {
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

    /**
     * Filled when all singletons exist, so that handlers may depend on whatever depends
     * on it.
     */
    @Bean
    @ConditionalOnMissingBean
    static EventHandlerRegistry eventHandlerRegistry(ConfigurableListableBeanFactory beans,
            EventQueueProperties properties) {
        return EventHandlerRegistry
            .lazily(() -> new HandlerDiscovery(beans, new HandlerSettings(properties)).discover());
    }

    /** Wrong handlers stop the application from starting, also where none is run. */
    @Bean
    static SmartInitializingSingleton eventHandlerRegistryFiller(EventHandlerRegistry registry) {
        return registry::isEmpty;
    }

    @Bean
    @ConditionalOnMissingBean(EventQueue.class)
    static TransactionalEventQueue eventQueue(List<Database> databases, EventSerializer serializer,
            ObjectProvider<EventInterceptor> interceptors, ObjectProvider<EventQueueListener> listeners,
            EventQueueProperties properties) {
        return TransactionalEventQueue.eventQueue(databases)
            .serializer(serializer)
            .interceptors(interceptors.orderedStream().toList())
            .listener(EventQueueListener.all(listeners.orderedStream().toList()))
            .namespace(properties.namespace())
            .requireTransaction(properties.publish().requireTransaction())
            .abandonmentTimeout(properties.abandonmentTimeout())
            .retentionWindow(properties.handlingRetentionWindow())
            .build();
    }

    @Bean
    @ConditionalOnMissingBean
    static DurableEventListener durableEventListener(ObjectProvider<EventQueue> queue) {
        return new DurableEventListener(queue);
    }

    @Bean
    @ConditionalOnBean(TransactionalEventQueue.class)
    @ConditionalOnMissingBean(ActionExecutor.class)
    static TransactionalActionExecutor actionExecutor(TransactionalEventQueue queue) {
        return new TransactionalActionExecutor(queue);
    }

    @Bean
    @ConditionalOnMissingBean(DeadLetters.class)
    static StoredDeadLetters eventQueueDeadLetters(List<Database> databases) {
        return new StoredDeadLetters(databases);
    }

    /** What comes from elsewhere is on no shard yet: it goes to the first. */
    @Bean
    @ConditionalOnBean(TransactionalEventQueue.class)
    @ConditionalOnMissingBean(EventConsumer.class)
    static TransactionalEventConsumer eventConsumer(List<Database> databases, TransactionalEventQueue queue) {
        return new TransactionalEventConsumer(databases.getFirst(), queue);
    }

    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    static EventHandlingJob eventHandlingJob(List<Database> databases, EventHandlerRegistry registry,
            EventSerializer serializer, ObjectProvider<EventInterceptor> interceptors,
            ObjectProvider<EventQueueListener> listeners, EventQueueProperties properties) {
        return EventHandlingJob.eventHandlingJob()
            .databases(databases)
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
            .deadLetterRetention(properties.deadLetterRetention())
            .retiredHandlers(properties.retiredHandlers())
            .build();
    }

    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    static EventFanoutJob eventFanoutJob(List<Database> databases, EventHandlerRegistry registry,
            EventHandlingJob handlingJob, ObjectProvider<EventQueueListener> listeners,
            EventQueueProperties properties) {
        return EventFanoutJob.eventFanoutJob()
            .databases(databases)
            .eventHandlerRegistry(registry)
            .listener(EventQueueListener.all(listeners.orderedStream().toList()))
            .pollDelay(properties.fanoutPollDelay())
            .batchSize(properties.fanoutBatchSize())
            .retentionWindow(properties.handlingRetentionWindow())
            .handlingJob(properties.handling().enabled() ? handlingJob : null)
            .build();
    }

    /** Runs where handlers run, as any other job. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    static ProjectionJob eventQueueProjectionJob(List<Database> databases,
            ObjectProvider<EventLogProjection> projections, EventSerializer serializer,
            ObjectProvider<EventQueueListener> listeners, EventQueueProperties properties) {
        return ProjectionJob.projectionJob()
            .databases(databases)
            .projections(projections.orderedStream().toList())
            .serializer(serializer)
            .listener(EventQueueListener.all(listeners.orderedStream().toList()))
            .pollDelay(properties.projections().pollDelay())
            .batchSize(properties.projections().batchSize())
            .shutdownTimeout(properties.shutdownTimeout())
            .build();
    }

    /**
     * What runs in this process. Fan-out is first, so that it stops before the handlers
     * it feeds; other jobs among the beans run where handlers run; signals are last, also
     * where nothing else runs: what is published here is waited for elsewhere.
     */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    static JobRegistry eventQueueJobs(EventFanoutJob fanoutJob, EventHandlingJob handlingJob,
            ObjectProvider<Job> otherJobs, List<Database> databases, EventQueueProperties properties) {
        JobRegistry.Builder jobs = JobRegistry.jobRegistry();
        if (properties.runsFanout()) {
            jobs.withJob(fanoutJob);
        }
        if (properties.handling().enabled()) {
            jobs.withJob(handlingJob);
            otherJobs.orderedStream().filter(job -> job != fanoutJob && job != handlingJob).forEach(jobs::withJob);
        }
        boolean waits = properties.runsFanout() || properties.handling().enabled() || properties.api().enabled();
        databases.stream()
            .filter(EventQueueAutoConfiguration::notifies)
            .forEach(database -> jobs.withJob(signals(database, waits)));
        return jobs.build();
    }

    private static boolean notifies(Database database) {
        return database.dialect().notifies()
                && ClassUtils.isPresent("org.postgresql.PGConnection", database.getClass().getClassLoader());
    }

    private static Job signals(Database database, boolean waits) {
        return waits ? new PostgresSignals(database, UnpooledConnections.beside(database.shard().dataSource()),
                NOTIFY_DEBOUNCE) : PostgresSignals.sendingOnly(database, NOTIFY_DEBOUNCE);
    }

    @Bean
    @ConditionalOnMissingBean
    static EventQueueLifecycle eventQueueLifecycle(JobRegistry jobs, ApplicationContext context) {
        return new EventQueueLifecycle(jobs, context);
    }

}
