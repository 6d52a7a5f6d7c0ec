package io.eventqueue;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CompositeListenerTest {

    /** Every callback, so that one added later is not forgotten. */
    static Stream<Method> callbacks() {
        return Arrays.stream(EventQueueListener.class.getMethods())
            .filter(method -> !Modifier.isStatic(method.getModifiers()));
    }

    @ParameterizedTest
    @MethodSource("callbacks")
    void tellsAllInOrderAlsoWhenOneThrows(Method callback) throws Exception {
        List<String> calls = new ArrayList<>();
        EventQueueListener all = EventQueueListener
            .all(List.of(listener("first", calls), listener("broken", calls), listener("last", calls)));

        callback.invoke(all, Arrays.stream(callback.getParameterTypes()).map(CompositeListenerTest::value).toArray());

        assertThat(calls).containsExactly("first " + callback.getName(), "broken " + callback.getName(),
                "last " + callback.getName());
    }

    private static Object value(Class<?> type) {
        if (type == int.class) {
            return 1;
        }
        if (type == long.class) {
            return 1L;
        }
        if (type == Duration.class) {
            return Duration.ZERO;
        }
        return type == NotificationState.class ? NotificationState.DEAD : type == String.class ? "x" : null;
    }

    private static EventQueueListener listener(String name, List<String> calls) {
        return (EventQueueListener) Proxy.newProxyInstance(EventQueueListener.class.getClassLoader(),
                new Class<?>[] { EventQueueListener.class }, (proxy, method, arguments) -> {
                    if (method.getDeclaringClass() == EventQueueListener.class) {
                        calls.add(name + " " + method.getName());
                        if (name.equals("broken")) {
                            throw new IllegalStateException("broken");
                        }
                    }
                    return null;
                });
    }

}
