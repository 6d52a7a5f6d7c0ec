package io.eventqueue.autoconfigure.api;

import io.eventqueue.api.WaitingWorkers;
import io.eventqueue.api.WorkerApi;
import io.eventqueue.api.WorkerApiHints;
import io.eventqueue.api.WorkerApiListener;
import io.eventqueue.api.WorkerApiSettings;
import io.eventqueue.autoconfigure.EventQueueAutoConfiguration;
import io.eventqueue.autoconfigure.EventQueueProperties;
import io.eventqueue.jdbc.Database;
import io.eventqueue.outbox.TransactionalEventQueue;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.util.CollectionUtils;
import org.springframework.util.unit.DataSize;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * The worker API, where {@code event-queue.api.enabled} says so. Refuses to start where
 * neither a token nor Spring Security protects it.
 */
@AutoConfiguration(after = EventQueueAutoConfiguration.class)
@ConditionalOnProperty("event-queue.api.enabled")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(RouterFunction.class)
@ImportRuntimeHints(WorkerApiHints.class)
public final class WorkerApiAutoConfiguration {

    WorkerApiAutoConfiguration() {
    }

    @Bean
    static WorkerApiSettings eventQueueWorkerApiSettings(EventQueueProperties properties) {
        EventQueueProperties.Api api = properties.api();
        return new WorkerApiSettings(api.basePath(), api.token(), api.lease(), api.retryDelay(), api.maxWait(),
                api.maxWaiting(), api.pollDelay(), maxBodyBytes(properties));
    }

    @Bean
    static WaitingWorkers eventQueueWaitingWorkers(TransactionalEventQueue queue, List<Database> databases,
            WorkerApiSettings settings, ObjectProvider<WorkerApiListener> listener) {
        return new WaitingWorkers(queue.pullQueue(), databases, settings,
                listener.getIfAvailable(() -> WorkerApiListener.NONE));
    }

    @Bean
    static RouterFunction<ServerResponse> eventQueueWorkerApi(TransactionalEventQueue queue, List<Database> databases,
            WaitingWorkers waiting, WorkerApiSettings settings) {
        return new WorkerApi(queue, databases, waiting, settings).routes();
    }

    /** Looks when all beans exist: the application's security may be one of the last. */
    @Bean
    static SmartInitializingSingleton eventQueueWorkerApiProtectionCheck(WorkerApiSettings settings,
            ObjectProvider<Protection> protection) {
        return () -> {
            Protection present = protection.getIfAvailable(() -> Protection.NONE);
            for (String path : settings.token() == null ? samplePaths(settings.basePath()) : List.<String>of()) {
                @Nullable String missing = present.missingFor(path);
                if (missing != null) {
                    throw new UnprotectedApiException(path, missing);
                }
            }
        };
    }

    /** One of each depth: a chain for the base path alone leaves those below it open. */
    private static List<String> samplePaths(String base) {
        return List.of(base, base + "/subscribe", base + "/" + new UUID(0, 0),
                base + "/" + new UUID(0, 0) + "/complete");
    }

    private static int maxBodyBytes(EventQueueProperties properties) {
        DataSize chosen = properties.api().maxBodySize();
        long bytes = chosen != null ? chosen.toBytes() : 2 * properties.maxPayloadSize().toBytes();
        return (int) Math.min(bytes, Integer.MAX_VALUE - 8);
    }

    /**
     * Where the application brings Spring Security. What the rules of a chain allow is
     * the application's decision; that there is one is ours.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(FilterChainProxy.class)
    static final class SpringSecurityConfiguration {

        @Bean
        static Protection eventQueueWorkerApiProtection(ObjectProvider<FilterChainProxy> springSecurity) {
            return path -> {
                FilterChainProxy chains = springSecurity.getIfAvailable();
                if (chains == null) {
                    return Protection.NONE.missingFor(path);
                }
                return CollectionUtils.isEmpty(chains.getFilters(path))
                        ? "no SecurityFilterChain of this application covers it." : null;
            };
        }

    }

}
