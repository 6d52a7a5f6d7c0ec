package io.eventqueue.benchmarks.contender;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** Starts the Spring Boot application that a peer made for Spring Boot lives in. */
final class BootContext {

    private BootContext() {
    }

    static ConfigurableApplicationContext start(Class<?> application, Map<String, Object> properties,
            Consumer<GenericApplicationContext> beans) {
        return new SpringApplicationBuilder(application).web(WebApplicationType.NONE)
            .bannerMode(Banner.Mode.OFF)
            .properties(new HashMap<>(properties))
            .initializers(context -> beans.accept((GenericApplicationContext) context))
            .run();
    }

}
