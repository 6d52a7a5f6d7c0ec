package io.eventqueue.sample;

import io.eventqueue.EventQueue;
import io.eventqueue.Notification;
import io.eventqueue.QueuedEvent;
import io.eventqueue.sample.Order.Delivery;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Stores orders, publishes them, and shows what became of them. */
@Service
class OrderService {

    private static final String SELECT = "SELECT id, customer, item, quantity, placed_at, event_id FROM orders ";

    private static final String NEWEST_FIRST = " ORDER BY id DESC LIMIT 20";

    private final JdbcClient jdbc;

    private final EventQueue events;

    OrderService(JdbcClient jdbc, EventQueue events) {
        this.jdbc = jdbc;
        this.events = events;
    }

    /** The order and its event are committed together, or not at all. */
    @Transactional
    long place(NewOrder order) {
        GeneratedKeyHolder key = new GeneratedKeyHolder();
        jdbc.sql("INSERT INTO orders (customer, item, quantity) VALUES (?, ?, ?)")
            .params(order.customer(), order.item(), order.quantity())
            .update(key, "id");
        long id = Objects.requireNonNull(key.getKey()).longValue();
        UUID eventId = events.publish(new OrderPlaced(id, order.customer(), order.item(), order.quantity()));
        jdbc.sql("UPDATE orders SET event_id = ? WHERE id = ?").params(eventId, id).update();
        return id;
    }

    Optional<Order> find(long id) {
        return jdbc.sql(SELECT + "WHERE id = ?").param(id).query(this::order).optional();
    }

    List<Order> latest() {
        return jdbc.sql(SELECT + NEWEST_FIRST).query(this::order).list();
    }

    /** What the handler {@code search-index} has indexed under the word. */
    List<Order> search(String word) {
        return jdbc.sql(SELECT + "WHERE id IN (SELECT order_id FROM search_words WHERE word = ?)" + NEWEST_FIRST)
            .param(word.strip().toLowerCase(Locale.ROOT))
            .query(this::order)
            .list();
    }

    private Order order(ResultSet rs, int row) throws SQLException {
        UUID eventId = rs.getObject("event_id", UUID.class);
        return new Order(rs.getLong("id"), rs.getString("customer"), rs.getString("item"), rs.getInt("quantity"),
                rs.getObject("placed_at", OffsetDateTime.class).toInstant(),
                events.find(eventId).map(QueuedEvent::status).orElse(null),
                events.notifications(eventId).stream().map(OrderService::delivery).toList());
    }

    private static Delivery delivery(Notification notification) {
        return new Delivery(notification.handler(), notification.state(), notification.attempts(),
                notification.owner() != null, notification.nextAttemptAt(), notification.lastError());
    }

}
