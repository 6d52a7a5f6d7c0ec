package io.eventqueue.sample;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.metrics.buffering.BufferingApplicationStartup;
import org.springframework.boot.context.metrics.buffering.StartupTimeline.TimelineEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.metrics.StartupStep.Tag;

/**
 * Starts the shop in a fresh JVM and prints how many milliseconds of it the queue's beans
 * took, tables included, without the beans they depend on, and how long the start was.
 */
final class MeasuredStart {

    private MeasuredStart() {
    }

    static void main(String[] args) {
        BufferingApplicationStartup startup = new BufferingApplicationStartup(100_000);
        SpringApplication application = new SpringApplication(SampleApplication.class);
        application.setApplicationStartup(startup);
        long before = System.nanoTime();
        try (ConfigurableApplicationContext context = application.run(args)) {
            Duration all = Duration.ofNanos(System.nanoTime() - before);
            List<TimelineEvent> beans = startup.getBufferedTimeline()
                .getEvents()
                .stream()
                .filter(event -> event.getStartupStep().getName().equals("spring.beans.instantiate"))
                .toList();
            Map<Long, TimelineEvent> byId = beans.stream()
                .collect(Collectors.toMap(event -> event.getStartupStep().getId(), Function.identity()));
            Duration ours = Duration.ZERO;
            for (TimelineEvent event : beans) {
                if (isOurs(context.getBeanFactory(), event)) {
                    ours = ours.plus(event.getDuration());
                }
                TimelineEvent parent = byId.get(event.getStartupStep().getParentId());
                if (parent != null && isOurs(context.getBeanFactory(), parent)) {
                    ours = ours.minus(event.getDuration());
                }
            }
            System.out.println("The queue's beans took " + ours.toMillis() + " of " + all.toMillis() + " ms");
        }
    }

    private static boolean isOurs(ConfigurableListableBeanFactory beans, TimelineEvent event) {
        String name = StreamSupport.stream(event.getStartupStep().getTags().spliterator(), false)
            .filter(tag -> tag.getKey().equals("beanName"))
            .map(Tag::getValue)
            .findFirst()
            .orElseThrow();
        return beans.containsBeanDefinition(name)
                && String.valueOf(beans.getMergedBeanDefinition(name)).contains("io.eventqueue.autoconfigure");
    }

}
