package io.eventqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.eventqueue.DurableEvent;
import io.eventqueue.InvalidEventException;
import io.eventqueue.TransactionRequiredException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.jdbc.autoconfigure.DataJdbcRepositoriesAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.data.annotation.Id;
import org.springframework.data.domain.AbstractAggregateRoot;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.data.repository.CrudRepository;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class DurableEventTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(EventQueueAutoConfiguration.class, DataSourceAutoConfiguration.class,
                DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
                JdbcTemplateAutoConfiguration.class))
        .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());

    private static List<String> stored(ApplicationContext context) {
        return context.getBean(JdbcTemplate.class)
            .queryForList("SELECT event_type FROM eventlog.events ORDER BY seq", String.class);
    }

    private static TransactionTemplate transaction(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    private static void commitsAndRollsBackWithThePublisher(AssertableApplicationContext context) {
        transaction(context).executeWithoutResult(status -> {
            context.publishEvent(new Greeted("Ada"));
            assertThat(stored(context)).containsExactly("Greeted");
            status.setRollbackOnly();
        });
        assertThat(stored(context)).isEmpty();
        transaction(context).executeWithoutResult(status -> context.publishEvent(new Greeted("Ada")));
        assertThat(stored(context)).containsExactly("Greeted");
    }

    @Test
    void isStoredInThePublishersTransaction() {
        runner.run(DurableEventTests::commitsAndRollsBackWithThePublisher);
    }

    @Test
    void isStoredInThePublishersTransactionAlsoIfListenersAreAsynchronous() {
        runner.withBean("applicationEventMulticaster", ApplicationEventMulticaster.class, () -> {
            SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
            multicaster.setTaskExecutor(new SimpleAsyncTaskExecutor());
            return multicaster;
        }).run(DurableEventTests::commitsAndRollsBackWithThePublisher);
    }

    @Test
    void outsideATransactionItIsStoredOrRefusedAsByPublish() {
        runner.run(context -> {
            context.publishEvent(new Greeted("Ada"));
            assertThat(stored(context)).containsExactly("Greeted");
        });
        runner.withPropertyValues("event-queue.publish.require-transaction=true")
            .run(context -> assertThatThrownBy(() -> context.publishEvent(new Greeted("Ada")))
                .isInstanceOf(TransactionRequiredException.class));
    }

    @Test
    void otherEventsAreNotStored() {
        runner.run(context -> {
            context.publishEvent(new Whispered("Ada"));
            context.publishEvent("text");
            assertThat(stored(context)).isEmpty();
        });
    }

    @Test
    void theAnnotationIsInheritedFromClassAndInterface() {
        runner.run(context -> {
            context.publishEvent(new Louder());
            context.publishEvent(new Marked());
            assertThat(stored(context)).containsExactly("Louder", "Marked");
        });
    }

    @Test
    void anApplicationEventIsRefused() {
        runner.run(context -> assertThatThrownBy(() -> context.publishEvent(new OldStyle(this)))
            .isInstanceOf(InvalidEventException.class)
            .hasMessageContaining("OldStyle, which extends ApplicationEvent")
            .hasMessageContaining("Publish a plain class or record"));
    }

    @Test
    void whatAnAggregateRegistersIsStoredWhenItIsSaved() {
        runner
            .withConfiguration(AutoConfigurations.of(DataJdbcRepositoriesAutoConfiguration.class,
                    DataSourceInitializationAutoConfiguration.class))
            .withPropertyValues("spring.sql.init.schema-locations=classpath:customers.sql")
            .withUserConfiguration(Repositories.class)
            .run(context -> {
                Customers customers = context.getBean(Customers.class);
                transaction(context).executeWithoutResult(status -> {
                    customers.save(new Customer("Ada").greet());
                    assertThat(stored(context)).containsExactly("Greeted");
                    status.setRollbackOnly();
                });
                assertThat(customers.count()).isZero();
                assertThat(stored(context)).isEmpty();
                customers.save(new Customer("Ada").greet());
                assertThat(customers.count()).isOne();
                assertThat(stored(context)).containsExactly("Greeted");
            });
    }

    @DurableEvent
    record Greeted(String name) {
    }

    record Whispered(String name) {
    }

    @DurableEvent
    static class Loud {

        public int volume = 1;

    }

    static class Louder extends Loud {

    }

    @DurableEvent
    interface Mark {

        int mark();

    }

    static class Marked implements Mark {

        @Override
        public int mark() {
            return 1;
        }

        public int getMark() {
            return mark();
        }

    }

    @DurableEvent
    static class OldStyle extends ApplicationEvent {

        OldStyle(Object source) {
            super(source);
        }

    }

    @EnableJdbcRepositories(considerNestedRepositories = true, basePackageClasses = DurableEventTests.class)
    static class Repositories {

    }

    @Table("CUSTOMERS")
    static class Customer extends AbstractAggregateRoot<Customer> {

        @Id
        Long id;

        final String name;

        Customer(String name) {
            this.name = name;
        }

        Customer greet() {
            return andEvent(new Greeted(name));
        }

    }

    interface Customers extends CrudRepository<Customer, Long> {

    }

}
