package io.eventqueue.sample;

import io.eventqueue.EventHandler;
import java.util.Arrays;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Makes orders searchable. It writes to the same database, so its rows, and the fact that
 * it ran, can commit together: effectively once, although the INSERT would not bear being
 * repeated.
 */
@Component
class SearchIndex {

    private static final Logger log = LoggerFactory.getLogger(SearchIndex.class);

    private final JdbcClient jdbc;

    SearchIndex(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @EventHandler(name = "search-index", idempotent = false, transactional = true)
    void index(OrderPlaced order) {
        String text = order.customer() + " " + order.item();
        Arrays.stream(text.toLowerCase(Locale.ROOT).split("\\s+"))
            .distinct()
            .forEach(word -> jdbc.sql("INSERT INTO search_words (word, order_id) VALUES (?, ?)")
                .params(word, order.orderId())
                .update());
        log.info("Order {} can be found", order.orderId());
    }

}
