package io.eventqueue.autoconfigure;

import java.util.List;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether {@code event-queue.shards} names several DataSources. */
final class ShardConditions {

    private ShardConditions() {
    }

    private static boolean shardsListed(ConditionContext context) {
        return !Binder.get(context.getEnvironment())
            .bind("event-queue.shards", Bindable.listOf(String.class))
            .orElse(List.of())
            .isEmpty();
    }

    /** True when everything is on one DataSource. */
    static final class OneDataSource implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return !shardsListed(context);
        }

    }

    /** True when there is a list of shards. */
    static final class SeveralDataSources implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return shardsListed(context);
        }

    }

}
