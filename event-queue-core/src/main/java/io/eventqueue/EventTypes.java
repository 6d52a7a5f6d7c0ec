package io.eventqueue;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import java.lang.reflect.Modifier;
import java.util.LinkedHashSet;
import java.util.Set;

/** From event classes to the type names stored in the database. */
public final class EventTypes {

    private EventTypes() {
    }

    /** The value of {@link EventType}, or the simple class name. */
    public static String nameOf(Class<?> eventClass) {
        EventType annotation = eventClass.getAnnotation(EventType.class);
        String name = annotation != null ? annotation.value() : eventClass.getSimpleName();
        if (name.isBlank()) {
            throw new InvalidEventException("The event type of " + eventClass.getName() + " is blank. "
                    + (annotation != null ? "Write a name into @EventType(\"...\")."
                            : "Anonymous classes cannot be events: use a named class or record, or @EventType(\"...\")."));
        }
        if (name.length() > 255) {
            throw new InvalidEventException("The event type of " + eventClass.getName()
                    + " is longer than 255 characters. Shorten it with @EventType(\"...\").");
        }
        return name;
    }

    /**
     * The class itself, or all concrete classes below a sealed hierarchy or Jackson's
     * {@code @JsonSubTypes}.
     */
    static Set<Class<?>> concreteTypesOf(Class<?> eventClass) {
        Set<Class<?>> found = new LinkedHashSet<>();
        collect(eventClass, found, new LinkedHashSet<>());
        return found;
    }

    private static void collect(Class<?> type, Set<Class<?>> found, Set<Class<?>> seen) {
        if (!seen.add(type)) {
            return;
        }
        if (!type.isInterface() && !Modifier.isAbstract(type.getModifiers())) {
            found.add(type);
        }
        if (type.isSealed()) {
            for (Class<?> permitted : type.getPermittedSubclasses()) {
                collect(permitted, found, seen);
            }
        }
        JsonSubTypes subTypes = type.getAnnotation(JsonSubTypes.class);
        if (subTypes != null) {
            for (JsonSubTypes.Type subType : subTypes.value()) {
                collect(subType.value(), found, seen);
            }
        }
    }

    static String sameNameMessage(String type, Class<?> one, Class<?> other) {
        return "Two event classes share the type name '" + type + "': " + one.getName() + " and " + other.getName()
                + ". They could not be told apart in the outbox: rename one, or give it @EventType(\"...\").";
    }

}
