package io.eventqueue.autoconfigure.api;

import org.jspecify.annotations.Nullable;

/** Whether anything stands between the network and the worker API. */
@FunctionalInterface
interface Protection {

    /** The answer where there is no Spring Security. */
    Protection NONE = path -> "Spring Security is not configured.";

    /** Returns what is missing, or null if requests to the path are looked after. */
    @Nullable String missingFor(String path);

}
