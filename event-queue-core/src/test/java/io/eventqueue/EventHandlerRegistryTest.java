package io.eventqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.eventqueue.EventHandlerRegistry.Builder;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventHandlerRegistryTest {

    record Placed() {
    }

    static final class Elsewhere {

        record Placed() {
        }

        @EventType("ElsewherePlaced")
        record Renamed() {
        }

        private Elsewhere() {
        }

    }

    private static HandlerDefinition handler(String name, String... aliases) {
        return HandlerDefinition.builder(name, Placed.class, envelope -> HandlerResult.success())
            .aliases(List.of(aliases))
            .build();
    }

    private static void assertRefused(HandlerDefinition first, HandlerDefinition second, String... words) {
        Builder builder = EventHandlerRegistry.eventHandlerRegistry().withHandler(first);
        assertThatThrownBy(() -> builder.withHandler(second)).isInstanceOf(InvalidHandlerException.class)
            .message()
            .contains(words);
    }

    @Test
    void findsHandlersByNameAndAlias() {
        EventHandlerRegistry registry = EventHandlerRegistry.eventHandlerRegistry()
            .withHandler(handler("mail", "post", "letter"))
            .build();
        assertThat(registry.knownNames()).containsExactlyInAnyOrder("mail", "post", "letter");
        assertThat(registry.find("post")).isEqualTo(registry.find("mail")).isPresent();
        assertThat(registry.find("unknown")).isEmpty();
    }

    @Test
    void refusesTheSameNameOrAliasInAnyDirection() {
        assertRefused(handler("a"), handler("a"), "'a'", "already", "rename one of them");
        assertRefused(handler("a"), handler("b", "a"), "alias 'a'", "rename one of them");
        assertRefused(handler("a", "b"), handler("b"), "name 'b'", "rename one of them");
        assertRefused(handler("a", "x"), handler("b", "x"), "alias 'x'", "rename one of them");
    }

    @Test
    void refusesAHandlerThatIsItsOwnAlias() {
        assertThatThrownBy(() -> EventHandlerRegistry.eventHandlerRegistry().withHandler(handler("a", "a")))
            .isInstanceOf(InvalidHandlerException.class)
            .hasMessageContaining("Remove the alias 'a'");
    }

    @Test
    void refusesBlankNamesAndAliases() {
        assertThatThrownBy(() -> EventHandlerRegistry.eventHandlerRegistry().withHandler(handler(" ")))
            .isInstanceOf(InvalidHandlerException.class)
            .hasMessageContaining("name");
        assertThatThrownBy(() -> EventHandlerRegistry.eventHandlerRegistry().withHandler(handler("a", " ")))
            .isInstanceOf(InvalidHandlerException.class)
            .hasMessageContaining("blank alias");
    }

    @Test
    void refusesNamesThatNoAddressCanContain() {
        assertThatThrownBy(() -> handler("orders/confirm")).isInstanceOf(InvalidHandlerException.class)
            .hasMessageContaining("'orders/confirm' contains a slash")
            .hasMessageContaining("use a dot or a hyphen");
        assertThatThrownBy(() -> handler("orders\\confirm")).isInstanceOf(InvalidHandlerException.class);
    }

    @Test
    void refusesTwoClassesWithOneSimpleNameUnlessOneIsRenamed() {
        HandlerDefinition other = HandlerDefinition
            .builder("b", Elsewhere.Placed.class, envelope -> HandlerResult.success())
            .build();
        assertRefused(handler("a"), other, "Placed", Placed.class.getName(), Elsewhere.Placed.class.getName(),
                "@EventType");
        HandlerDefinition renamed = HandlerDefinition
            .builder("b", Elsewhere.Renamed.class, envelope -> HandlerResult.success())
            .build();
        assertThat(EventHandlerRegistry.eventHandlerRegistry()
            .withHandler(handler("a"))
            .withHandler(renamed)
            .build()
            .handlers()).hasSize(2);
    }

}
