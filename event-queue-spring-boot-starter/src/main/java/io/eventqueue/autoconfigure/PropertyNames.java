package io.eventqueue.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.ResolvableType;

/** The names of all properties of a record, as written in a file. */
final class PropertyNames {

    /** Stands for a key the user chooses. */
    private static final String ANY = "*";

    private PropertyNames() {
    }

    static List<String> of(Class<?> type, String prefix) {
        List<String> names = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            String name = prefix + "." + kebab(component.getName());
            Class<?> value = component.getType();
            if (value == Map.class) {
                name = name + "." + ANY;
                value = ResolvableType.forType(component.getGenericType()).getGeneric(1).resolve(Object.class);
            }
            if (value.isRecord()) {
                names.addAll(of(value, name));
            }
            else {
                names.add(name);
            }
        }
        return names;
    }

    /** The name that was probably meant, with the user's own keys kept. */
    static Optional<String> nearest(ConfigurationPropertyName unknown, List<String> known) {
        List<String> candidates = known.stream().map(name -> withKeysOf(unknown, name)).toList();
        return NearestName.of(unknown.toString(), candidates);
    }

    private static String withKeysOf(ConfigurationPropertyName unknown, String known) {
        String[] elements = known.split("\\.");
        for (int i = 0; i < elements.length; i++) {
            if (elements[i].equals(ANY) && i < unknown.getNumberOfElements()) {
                elements[i] = unknown.getElement(i, Form.ORIGINAL);
            }
        }
        return String.join(".", elements);
    }

    private static String kebab(String camel) {
        return camel.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

}
