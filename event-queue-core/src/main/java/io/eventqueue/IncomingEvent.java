package io.eventqueue;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.function.UnaryOperator;
import tools.jackson.databind.util.RawValue;

/**
 * An event received from elsewhere.
 *
 * @param event the event, or its JSON as a {@link RawValue}
 * @param options with the id by which a redelivery is recognized
 */
public record IncomingEvent(Object event, PublishOptions options) {

    public IncomingEvent {
        if (options.id() == null) {
            throw new InvalidEventException("An incoming event has no id, so its redelivery could not be recognized."
                    + " Give it the sender's: IncomingEvent.of(id, event), or with(options -> options.id(id)).");
        }
    }

    public static IncomingEvent of(UUID id, Object event) {
        return new IncomingEvent(event, PublishOptions.none().id(id));
    }

    /** An event whose JSON is stored as it came. */
    public static IncomingEvent json(UUID id, String type, String json) {
        return new IncomingEvent(new RawValue(json), PublishOptions.none().id(id).type(type));
    }

    /** With a key, headers and the like. */
    public IncomingEvent with(UnaryOperator<PublishOptions> change) {
        return new IncomingEvent(event, change.apply(options));
    }

    /**
     * The id for what a sender calls {@code id}: the UUID it is, or else one computed
     * from it.
     * @param source keeps equal ids of different senders apart; not used for UUIDs
     */
    public static UUID idOf(String source, String id) {
        try {
            UUID uuid = UUID.fromString(id);
            if (uuid.toString().equalsIgnoreCase(id)) {
                return uuid;
            }
        }
        catch (IllegalArgumentException notAUuid) {
            // computed below
        }
        return UUID.nameUUIDFromBytes((source + '\n' + id).getBytes(StandardCharsets.UTF_8));
    }
}
