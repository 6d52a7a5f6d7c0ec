package io.eventqueue.sample;

import io.eventqueue.EventLogProjection;
import io.eventqueue.ProjectionContext;
import io.eventqueue.QueuedEvent;
import java.util.Set;
import org.springframework.stereotype.Component;

/**
 * Counts what every customer has ordered. Counting would not bear being repeated: that it
 * is right after any crash is because the counts and the place in the log commit
 * together.
 */
@Component
class OrdersPerCustomer implements EventLogProjection {

    @Override
    public String name() {
        return "orders-per-customer";
    }

    @Override
    public Set<String> eventTypes() {
        return Set.of("OrderPlaced");
    }

    @Override
    public void handle(QueuedEvent event, ProjectionContext context) {
        OrderPlaced order = context.read(event, OrderPlaced.class);
        int known = context.jdbc()
            .update("UPDATE customers SET orders = orders + 1, pieces = pieces + ? WHERE customer = ?",
                    order.quantity(), order.customer());
        if (known == 0) {
            context.jdbc()
                .update("INSERT INTO customers (customer, orders, pieces) VALUES (?, 1, ?)", order.customer(),
                        order.quantity());
        }
    }

    @Override
    public void reset(ProjectionContext context) {
        context.jdbc().update("DELETE FROM customers");
    }

}
