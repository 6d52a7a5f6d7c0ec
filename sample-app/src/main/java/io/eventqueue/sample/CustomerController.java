package io.eventqueue.sample;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Reads what {@link OrdersPerCustomer} has counted. */
@RestController
class CustomerController {

    private static final int MOST = 100;

    private final JdbcClient jdbc;

    CustomerController(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    record Customer(String customer, int orders, int pieces) {
    }

    /** The best customers first. */
    @GetMapping("/customers")
    List<Customer> list() {
        return jdbc.sql(
                "SELECT customer, orders, pieces FROM customers ORDER BY pieces DESC, customer FETCH FIRST ? ROWS ONLY")
            .param(MOST)
            .query(Customer.class)
            .list();
    }

}
