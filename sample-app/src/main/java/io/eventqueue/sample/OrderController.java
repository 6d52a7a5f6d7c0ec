package io.eventqueue.sample;

import io.eventqueue.sample.OrderService.Order;
import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Places orders and shows how far their handlers got. */
@RestController
class OrderController {

    private final OrderService orders;

    OrderController(OrderService orders) {
        this.orders = orders;
    }

    @PostMapping("/orders")
    ResponseEntity<Map<String, Object>> place(@RequestBody NewOrder order) {
        String customer = required("customer", order.customer());
        String item = required("item", order.item());
        Integer quantity = order.quantity();
        if (quantity == null || quantity < 1) {
            throw new IllegalArgumentException("quantity must be 1 or more");
        }
        long id = orders.place(customer, item, quantity);
        return ResponseEntity.created(URI.create("/orders/" + id)).body(Map.of("id", id));
    }

    @GetMapping("/orders/{id}")
    ResponseEntity<Order> show(@PathVariable("id") long id) {
        return ResponseEntity.of(orders.find(id));
    }

    @ExceptionHandler
    ResponseEntity<Map<String, Object>> badInput(IllegalArgumentException e) {
        return ResponseEntity.badRequest().body(Map.of("error", String.valueOf(e.getMessage())));
    }

    @ExceptionHandler
    ResponseEntity<Map<String, Object>> notJson(HttpMessageNotReadableException e) {
        return ResponseEntity.badRequest()
            .body(Map.of("error",
                    "the body must be JSON: {\"customer\": \"Ada\", \"item\": \"tea\", \"quantity\": 1}"));
    }

    private static String required(String field, @Nullable String value) {
        if (value == null || value.isBlank() || value.length() > 200) {
            throw new IllegalArgumentException(field + " must have 1 to 200 characters");
        }
        return value;
    }

    record NewOrder(@Nullable String customer, @Nullable String item, @Nullable Integer quantity) {
    }

}
