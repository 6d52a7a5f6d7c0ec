package io.eventqueue.kafka;

import io.eventqueue.autoconfigure.EventQueueAutoConfiguration;
import io.eventqueue.autoconfigure.kafka.EventQueueKafkaAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications with a database of their own and a broker. */
final class KafkaContexts {

    private KafkaContexts() {
    }

    static ApplicationContextRunner withH2(TestBroker broker, String... properties) {
        return withDatabase("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", broker, properties);
    }

    static ApplicationContextRunner withDatabase(String url, TestBroker broker, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("spring.datasource.url=" + url);
        all.add("spring.kafka.bootstrap-servers=" + broker.bootstrapServers());
        return new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class, KafkaAutoConfiguration.class,
                    EventQueueAutoConfiguration.class, EventQueueKafkaAutoConfiguration.class))
            .withPropertyValues(all.toArray(String[]::new));
    }

}
