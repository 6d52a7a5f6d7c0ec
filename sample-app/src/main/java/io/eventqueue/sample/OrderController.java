package io.eventqueue.sample;

import java.net.URI;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Places orders and shows how far their handlers got. */
@RestController
@RequestMapping("/orders")
class OrderController {

    private final OrderService orders;

    OrderController(OrderService orders) {
        this.orders = orders;
    }

    @PostMapping
    ResponseEntity<Map<String, Long>> place(@RequestBody Body body) {
        long id = orders.place(NewOrder.of(body.customer(), body.item(), body.quantity()));
        return ResponseEntity.created(URI.create("/orders/" + id)).body(Map.of("id", id));
    }

    @GetMapping("/{id}")
    ResponseEntity<?> show(@PathVariable("id") long id) {
        Order order = orders.find(id).orElse(null);
        return order != null ? ResponseEntity.ok(order)
                : ResponseEntity.status(HttpStatus.NOT_FOUND).body(Map.of("error", "There is no order " + id));
    }

    /** The latest orders, or those the search index finds. */
    @GetMapping
    List<Order> list(@RequestParam(name = "search", defaultValue = "") String word) {
        return word.isBlank() ? orders.latest() : orders.search(word);
    }

    /** Any field may be missing. */
    record Body(@JsonDeserialize(using = TextOnly.class) @Nullable String customer,
            @JsonDeserialize(using = TextOnly.class) @Nullable String item, @Nullable Integer quantity) {
    }

}
