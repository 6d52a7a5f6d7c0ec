package io.eventqueue.sample;

import io.eventqueue.EventQueue;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Stores orders and publishes them. */
@Service
public class OrderService {

    private final JdbcClient jdbc;

    private final EventQueue events;

    OrderService(JdbcClient jdbc, EventQueue events) {
        this.jdbc = jdbc;
        this.events = events;
    }

    /** The order and its event are committed together, or not at all. */
    @Transactional
    public long place(String customer, String item, int quantity) {
        GeneratedKeyHolder key = new GeneratedKeyHolder();
        jdbc.sql("INSERT INTO orders (customer, item, quantity) VALUES (?, ?, ?)")
            .params(customer, item, quantity)
            .update(key, "id");
        long id = Objects.requireNonNull(key.getKey()).longValue();
        UUID eventId = events.publish(new OrderPlaced(id, customer, item, quantity));
        jdbc.sql("UPDATE orders SET event_id = ? WHERE id = ?").params(eventId, id).update();
        return id;
    }

    Optional<Order> find(long id) {
        return jdbc.sql("SELECT id, customer, item, quantity FROM orders WHERE id = ?")
            .param(id)
            .query((rs, row) -> new Order(rs.getLong("id"), rs.getString("customer"), rs.getString("item"),
                    rs.getInt("quantity"), notifications(id)))
            .optional();
    }

    private List<Notification> notifications(long id) {
        return jdbc.sql("""
                SELECT n.handler_name, n.state, n.attempts
                FROM eventlog.event_notifications n JOIN orders o ON o.event_id = n.event_id
                WHERE o.id = ? ORDER BY n.handler_name
                """)
            .param(id)
            .query((rs, row) -> new Notification(rs.getString("handler_name"), rs.getString("state"),
                    rs.getInt("attempts")))
            .list();
    }

    record Order(long id, String customer, String item, int quantity, List<Notification> notifications) {
    }

    record Notification(String handler, String state, int attempts) {
    }

}
