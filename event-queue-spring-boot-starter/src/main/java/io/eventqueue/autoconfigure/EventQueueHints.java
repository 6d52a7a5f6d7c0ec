package io.eventqueue.autoconfigure;

import io.eventqueue.Handler;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** For native images: what the starter itself reads by name. */
final class EventQueueHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/eventqueue/migration/**");
        hints.reflection().registerType(Handler.class, MemberCategory.INVOKE_PUBLIC_METHODS);
        for (String manager : new String[] { "org.springframework.orm.jpa.JpaTransactionManager",
                "org.springframework.orm.jpa.hibernate.HibernateTransactionManager" }) {
            hints.reflection()
                .registerTypeIfPresent(classLoader, manager,
                        type -> type.withMethod("getDataSource", java.util.List.of(), ExecutableMode.INVOKE));
        }
    }

}
