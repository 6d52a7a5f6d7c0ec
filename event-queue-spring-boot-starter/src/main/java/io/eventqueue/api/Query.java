package io.eventqueue.api;

import io.eventqueue.EventStatus;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.http.server.RequestPath;
import org.springframework.util.StringUtils;
import org.springframework.web.servlet.function.ServerRequest;

/** The parameters of a request, each read with its check. */
record Query(ServerRequest request) {

    static final String ATTEMPT = "Event-Attempt";

    /**
     * What stands before the path of the API: the context path, and that of Spring MVC.
     */
    String prefix() {
        RequestPath path = request.requestPath();
        return path.value().substring(0, path.value().length() - path.pathWithinApplication().value().length());
    }

    UUID eventId() {
        return Text.uuid("id", request.pathVariable("id"));
    }

    Set<String> tags() {
        return Text.tags("tags", request.params().getOrDefault("tags", List.of()));
    }

    Set<String> requiredTags() {
        Set<String> tags = tags();
        if (tags.isEmpty()) {
            throw ApiException.badRequest("tags is missing: give one tag or several, separated by commas");
        }
        return tags;
    }

    String workerId() {
        return Text.line("worker_id",
                text("worker_id")
                    .orElseThrow(() -> ApiException.badRequest("worker_id is missing: give {hostname}:{pid}")),
                Text.MAX_WORKER_ID);
    }

    /** The attempt a worker was given with the event, if it sends it back. */
    Optional<Integer> attempt() {
        return Optional.ofNullable(request.headers().firstHeader(ATTEMPT))
            .map(value -> number(ATTEMPT, value, 1, Integer.MAX_VALUE));
    }

    Set<EventStatus> statuses() {
        return text("status").map(value -> Set.of(status(value))).orElse(Set.of());
    }

    /** Seconds, or with a unit: {@code 20}, {@code 20s}, {@code 500ms}. */
    Duration waiting(Duration longest) {
        String value = text("wait").orElse("0");
        Duration wait;
        try {
            wait = value.chars().allMatch(Character::isDigit) ? Duration.ofSeconds(Integer.parseInt(value))
                    : DurationStyle.SIMPLE.parse(value);
        }
        catch (IllegalArgumentException | ArithmeticException e) {
            throw ApiException.badRequest("wait is not a time: write seconds like 20, or 500ms");
        }
        if (wait.isNegative()) {
            throw ApiException.badRequest("wait is negative: write 0 or more seconds");
        }
        return wait.compareTo(longest) < 0 ? wait : longest;
    }

    int number(String name, int otherwise, int from, int to) {
        return text(name).map(value -> number(name, value, from, to)).orElse(otherwise);
    }

    boolean flag(String name) {
        return text(name).map(value -> switch (value) {
            case "true" -> true;
            case "false" -> false;
            default -> throw ApiException.badRequest(name + " is neither true nor false");
        }).orElse(false);
    }

    Optional<String> text(String name) {
        return request.param(name).filter(StringUtils::hasLength);
    }

    private static EventStatus status(String value) {
        return Arrays.stream(EventStatus.values())
            .filter(status -> status.name().equals(value))
            .findFirst()
            .orElseThrow(() -> ApiException
                .badRequest("status is none of " + StringUtils.arrayToDelimitedString(EventStatus.values(), ", ")));
    }

    private static int number(String name, String value, int from, int to) {
        try {
            int number = Integer.parseInt(value);
            if (number >= from && number <= to) {
                return number;
            }
        }
        catch (NumberFormatException e) {
            // Said below, as for a number out of range.
        }
        throw ApiException.badRequest(name + " is not a whole number from " + from + " to " + to);
    }

}
