package io.eventqueue.api;

import io.eventqueue.Shard;
import io.eventqueue.testsupport.MutableClock;
import io.eventqueue.jdbc.Database;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.testsupport.FreshDatabase;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application that serves the worker API on a port of its own. */
final class ApiServer implements AutoCloseable {

    static final String TOKEN = "a-token-for-tests";

    private final ConfigurableApplicationContext context;

    private ApiServer(ConfigurableApplicationContext context) {
        this.context = context;
    }

    static ApiServer start(FreshDatabase database, Class<?> application, String... properties) {
        List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--spring.main.banner-mode=off",
                "--spring.datasource.url=" + database.jdbcUrl(), "--spring.datasource.username=" + database.user(),
                "--spring.datasource.password=" + database.password(), "--event-queue.api.enabled=true"));
        for (String property : properties) {
            arguments.add("--" + property);
        }
        return new ApiServer(new SpringApplicationBuilder(application).run(arguments.toArray(String[]::new)));
    }

    static ApiServer startWithToken(FreshDatabase database, Class<?> application, String... properties) {
        List<String> all = new ArrayList<>(List.of("event-queue.api.token=" + TOKEN));
        all.addAll(List.of(properties));
        return start(database, application, all.toArray(String[]::new));
    }

    String url() {
        return "http://localhost:" + ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    ApiClient client() {
        return new ApiClient(url(), "Bearer " + TOKEN);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    @Override
    public void close() {
        context.close();
    }

    /** Nothing but what the starter brings. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {

    }

    /** All times in the database follow a clock that the test sets. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithClock {

        @Bean
        MutableClock clock() {
            return new MutableClock();
        }

        @Bean
        Database database(DataSource dataSource, MutableClock clock) {
            SchemaMigration.migrate(dataSource);
            return Database.of(Shard.of("default", dataSource), clock);
        }

    }

}
