package io.eventqueue.autoconfigure.observe;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the number of values of one tag bounded: the first ones are passed through, later
 * ones become {@code other}. An application can publish under any number of type names,
 * and every value is a time series for ever.
 */
final class BoundedValues {

    static final String OTHER = "other";

    private final Set<String> known = ConcurrentHashMap.newKeySet();

    private final int limit;

    BoundedValues(int limit) {
        this.limit = limit;
    }

    String of(String value) {
        if (known.contains(value)) {
            return value;
        }
        if (known.size() >= limit) {
            return OTHER;
        }
        known.add(value);
        return value;
    }

}
