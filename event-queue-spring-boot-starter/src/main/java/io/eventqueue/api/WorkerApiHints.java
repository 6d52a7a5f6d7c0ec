package io.eventqueue.api;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** For native images: the bodies of answers, and the description. */
public final class WorkerApiHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/eventqueue/api/openapi.json");
        new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), Views.EventDetails.class,
                Views.PickedEvent.class, Views.EventList.class, Views.Recorded.class, Views.Lease.class,
                ApiJson.Problem.class, ApiJson.RetriesExceeded.class);
    }

}
