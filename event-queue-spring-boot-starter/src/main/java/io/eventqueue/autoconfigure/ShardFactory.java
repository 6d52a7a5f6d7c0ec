package io.eventqueue.autoconfigure;

import io.eventqueue.Shard;
import java.lang.reflect.Method;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.ReflectionUtils;

/**
 * Makes shards of DataSource beans, each with the transaction manager the application
 * uses for it, so that events are published in the application's own transactions.
 */
final class ShardFactory {

    private final ListableBeanFactory beans;

    ShardFactory(ListableBeanFactory beans) {
        this.beans = beans;
    }

    /** The shard of the only or primary DataSource. */
    Shard ofPrimary() {
        DataSource primary = beans.getBeanProvider(DataSource.class).getIfUnique();
        if (primary == null) {
            throw new InvalidPropertyException("datasource",
                    "is not set, and none of the DataSources " + names() + " is primary",
                    "name one of them, list several in event-queue.shards, or mark one as @Primary");
        }
        return shard("default", primary);
    }

    /**
     * @param property the one that has the name
     */
    Shard named(String beanName, String property) {
        if (!names().contains(beanName)) {
            throw new InvalidPropertyException(property, "names '" + beanName + "', which is no DataSource bean",
                    "use one of " + names());
        }
        return shard(beanName, beans.getBean(beanName, DataSource.class));
    }

    private List<String> names() {
        return List.of(beans.getBeanNamesForType(DataSource.class));
    }

    private Shard shard(String name, DataSource bean) {
        DataSource dataSource = target(bean);
        PlatformTransactionManager found = managerOf(dataSource);
        return Shard.of(name, dataSource, found != null ? found : new JdbcTransactionManager(dataSource));
    }

    /**
     * The manager of that DataSource, the primary one if there are several. A single
     * manager that does not say which DataSource it is for (JTA) is for all of them.
     */
    private @Nullable PlatformTransactionManager managerOf(DataSource dataSource) {
        ObjectProvider<PlatformTransactionManager> managers = beans.getBeanProvider(PlatformTransactionManager.class);
        PlatformTransactionManager primary = managers.getIfUnique();
        if (primary != null) {
            DataSource managed = dataSourceOf(primary);
            if (managed == null || managed == dataSource) {
                return primary;
            }
        }
        return managers.orderedStream().filter(manager -> dataSourceOf(manager) == dataSource).findFirst().orElse(null);
    }

    /** JPA's managers have a getter of their own; the resource they manage is another. */
    private static @Nullable DataSource dataSourceOf(PlatformTransactionManager manager) {
        if (manager instanceof ResourceTransactionManager resource
                && resource.getResourceFactory() instanceof DataSource dataSource) {
            return target(dataSource);
        }
        Method getter = ReflectionUtils.findMethod(manager.getClass(), "getDataSource");
        return getter != null && ReflectionUtils.invokeMethod(getter, manager) instanceof DataSource dataSource
                ? target(dataSource) : null;
    }

    /** Transactions are bound to the DataSource below this kind of proxy. */
    private static DataSource target(DataSource dataSource) {
        return dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null
                ? proxy.getTargetDataSource() : dataSource;
    }

}
