package io.eventqueue.sample;

import java.util.List;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindException;

/** Answers 400 with a reason, whatever was wrong with a request about orders. */
@RestControllerAdvice(assignableTypes = OrderController.class)
class BadRequests {

    private static final String EXAMPLE = "Send {\"customer\": \"Ada\", \"item\": \"tea\", \"quantity\": 1}";

    @ExceptionHandler
    ResponseEntity<Map<String, String>> invalid(InvalidOrderException e) {
        return reason(String.valueOf(e.getMessage()));
    }

    @ExceptionHandler
    ResponseEntity<Map<String, String>> unreadable(HttpMessageNotReadableException e) {
        if (e.getCause() instanceof DatabindException wrongType && fieldOf(wrongType) instanceof String field) {
            return reason(field + " has the wrong type. " + EXAMPLE);
        }
        return reason(
                (e.getCause() == null ? "The body is missing. " : "The body is not JSON as expected. ") + EXAMPLE);
    }

    @ExceptionHandler
    ResponseEntity<Map<String, String>> wrongPath(MethodArgumentTypeMismatchException e) {
        return reason(e.getName() + " must be a number, as in /orders/1");
    }

    private static String fieldOf(DatabindException e) {
        List<JacksonException.Reference> path = e.getPath();
        return path.isEmpty() ? "The body" : path.getLast().getPropertyName();
    }

    private static ResponseEntity<Map<String, String>> reason(String text) {
        return ResponseEntity.badRequest().body(Map.of("error", text));
    }

}
