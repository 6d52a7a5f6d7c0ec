package io.eventqueue.handling;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of an error: enough to answer "why did it fail?" without the logs.
 *
 * @param traceId where to look for more, if there is a tracer
 */
record Failure(String errorClass, String message, @Nullable String stack, @Nullable String traceId) {

    private static final int FRAMES = 15;

    private static final int MESSAGE_LIMIT = 4000;

    private static final int TRACE_ID_LIMIT = 64;

    static Failure of(Throwable error) {
        String stack = Arrays.stream(error.getStackTrace())
            .limit(FRAMES)
            .map(frame -> "at " + frame)
            .collect(Collectors.joining("\n"));
        Throwable cause = error.getCause();
        if (cause != null && cause != error) {
            stack += "\nCaused by: " + cause;
        }
        return new Failure(cut(error.getClass().getName(), 255), cut(String.valueOf(error.getMessage()), MESSAGE_LIMIT),
                stack, null);
    }

    static Failure of(String reason, @Nullable Throwable cause) {
        if (cause != null) {
            return of(cause);
        }
        return new Failure("", cut(reason, MESSAGE_LIMIT), null, null);
    }

    Failure inTrace(@Nullable String id) {
        return new Failure(errorClass, message, stack, id == null ? null : cut(id, TRACE_ID_LIMIT));
    }

    String summary() {
        return errorClass.isEmpty() ? message : errorClass + ": " + message;
    }

    private static String cut(String text, int limit) {
        String clean = text.replace("\u0000", "");
        return clean.length() <= limit ? clean : clean.substring(0, limit);
    }
}
