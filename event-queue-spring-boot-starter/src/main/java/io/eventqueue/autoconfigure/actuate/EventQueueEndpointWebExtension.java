package io.eventqueue.autoconfigure.actuate;

import java.security.Principal;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * The endpoint over HTTP: it knows who asks, for the audit, and answers a request that
 * makes no sense with 400 and what is wrong with it. All parameters are taken as text, so
 * that this holds for a wrong number and a missing field too.
 */
@EndpointWebExtension(endpoint = EventQueueEndpoint.class)
public final class EventQueueEndpointWebExtension {

    private final EventQueueEndpoint endpoint;

    EventQueueEndpointWebExtension(EventQueueEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    @ReadOperation
    public WebEndpointResponse<Object> section(@Selector String section, @Nullable String handler,
            @Nullable String eventType, @Nullable String error, @Nullable String state, @Nullable String since,
            @Nullable String until, @Nullable String after, @Nullable String limit) {
        return answer(
                () -> endpoint.section(section, handler, eventType, error, state, since, until, after, number(limit)));
    }

    @ReadOperation
    public WebEndpointResponse<Object> entry(@Selector String section, @Selector String name) {
        return answer(() -> endpoint.entry(section, name));
    }

    @WriteOperation
    public WebEndpointResponse<Object> act(SecurityContext security, @Selector String section, @Selector String name,
            @Nullable String action) {
        return answer(() -> endpoint.act(section, name, required(action), by(security)));
    }

    @WriteOperation
    public WebEndpointResponse<Object> actOnMany(SecurityContext security, @Selector String section,
            @Nullable String action, @Nullable String handler, @Nullable String eventType, @Nullable String error,
            @Nullable String state, @Nullable String since, @Nullable String until, @Nullable String all) {
        return answer(() -> endpoint.actOnMany(section, required(action),
                DeadLetterOperations.filter(handler, eventType, error, state, since, until), truth(all), by(security)));
    }

    private static WebEndpointResponse<Object> answer(Supplier<@Nullable Object> operation) {
        try {
            @Nullable Object body = operation.get();
            return body == null ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
                    : new WebEndpointResponse<>(body);
        }
        catch (InvalidEndpointRequestException e) {
            return new WebEndpointResponse<>(Map.of("error", String.valueOf(e.getReason())),
                    WebEndpointResponse.STATUS_BAD_REQUEST);
        }
    }

    private static String by(SecurityContext security) {
        @Nullable Principal principal = security.getPrincipal();
        return principal == null ? EventQueueEndpoint.ANONYMOUS : principal.getName();
    }

    private static String required(@Nullable String action) {
        if (action == null || action.isBlank()) {
            throw new InvalidOperationException("action is missing: send a JSON object like {\"action\": \"pause\"}");
        }
        return action;
    }

    private static @Nullable Integer number(@Nullable String limit) {
        try {
            return limit == null ? null : Integer.valueOf(limit);
        }
        catch (NumberFormatException e) {
            throw new InvalidOperationException("limit is '" + limit + "': use a whole number");
        }
    }

    private static @Nullable Boolean truth(@Nullable String all) {
        if (all == null || all.equals("true") || all.equals("false")) {
            return all == null ? null : Boolean.valueOf(all);
        }
        throw new InvalidOperationException("all is '" + all + "': use true or false");
    }

}
