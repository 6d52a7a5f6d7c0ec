package io.eventqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Reads the tables and the handlers' own records, and knows nothing of how the engine
 * works. Each check is a query for what must not exist.
 */
final class Checker {

    private final JdbcTemplate jdbc;

    private final String prefix;

    private final String number;

    /**
     * @param prefix of the engine's tables
     * @param number how the database reads the number out of the payload
     */
    Checker(JdbcTemplate jdbc, String prefix, String number) {
        this.jdbc = jdbc;
        this.prefix = prefix;
        this.number = number;
    }

    /** Every event is in the log, and the projection has come to its end or beyond. */
    boolean everythingIsDone() {
        Long projected = jdbc.queryForObject("SELECT COALESCE(MAX(position), 0) FROM projected", Long.class);
        return count("events") == 0 && projected != null && projected >= count("event_log");
    }

    void check() {
        assertNone("committed events that are not in the log exactly once",
                "SELECT p.number FROM published p LEFT JOIN (SELECT " + number + " AS number FROM " + prefix
                        + "event_log) l ON l.number = p.number GROUP BY p.number HAVING COUNT(l.number) <> 1");
        assertNone("logged events that were never committed", "SELECT " + number + " FROM " + prefix
                + "event_log WHERE " + number + " NOT IN (SELECT number FROM published)");
        assertNone("effects of events that were never committed",
                "SELECT number FROM effects WHERE number NOT IN (SELECT number FROM published)");
        assertNone("events that did not reach all their handlers", "SELECT l.id FROM " + prefix
                + "event_log l LEFT JOIN " + prefix
                + "event_notifications n ON n.event_id = l.id AND n.state IN ('SUCCEEDED', 'DEAD', 'EXPIRED')"
                + " GROUP BY l.id, l.event_type HAVING COUNT(n.id) <> CASE WHEN l.event_type LIKE '%Lone' THEN 1 ELSE 4 END");
        assertNone("events that the projection missed or repeated",
                "SELECT p.number FROM published p LEFT JOIN projected r ON r.number = p.number"
                        + " GROUP BY p.number HAVING COUNT(r.number) <> 1");
        assertNone("successes without an effect", successesWithout("= 0", "n.state = 'SUCCEEDED'"));
        assertNone("effectively-once handlers that did not apply an event once",
                successesWithout("<> 1", "n.handler_name = 'once' AND n.state = 'SUCCEEDED'"));
        assertNone("effects of effectively-once handlers without success",
                successesWithout("<> 0", "n.handler_name = 'once' AND n.state <> 'SUCCEEDED'"));
        assertNone("at-most-once handlers that applied an event more than once",
                successesWithout("> 1", "n.handler_name = 'at-most-once'"));
        assertNone("dead notifications nobody declared dead", "SELECT id FROM " + prefix
                + "event_notifications WHERE state = 'DEAD'" + " AND handler_name NOT IN ('flaky', 'at-most-once')");
        assertThat(jdbc.queryForObject("SELECT COALESCE(MAX(position), 0) FROM " + prefix + "event_log", Long.class))
            .as("positions have no gap")
            .isEqualTo(count("event_log"));
        assertNone("outcomes written by somebody who was not the owner", "SELECT notification FROM stale_outcomes");
    }

    private String successesWithout(String effects, String which) {
        return "SELECT CONCAT(n.handler_name, ' of ', n.number, ', attempt ', n.attempts) FROM (SELECT id, handler_name,"
                + " state, attempts, " + number + " AS number FROM " + prefix + "event_notifications) n"
                + " LEFT JOIN effects e ON e.number = n.number AND e.handler = n.handler_name WHERE " + which
                + " GROUP BY n.id, n.handler_name, n.number, n.attempts HAVING COUNT(e.number) " + effects;
    }

    private void assertNone(String what, String query) {
        List<Object> found = jdbc.queryForList(query, Object.class);
        assertThat(found).as(what).isEmpty();
    }

    /** What to look at when the work does not end. */
    List<Map<String, Object>> unfinished() {
        return jdbc.queryForList("SELECT e.status, n.handler_name, n.state, n.owner, MIN(n.attempts) AS fewest,"
                + " MAX(n.attempts) AS most, MIN(n.next_retry_at) AS due, MAX(n.last_error) AS error, COUNT(*) AS number_of"
                + " FROM " + prefix + "events e LEFT JOIN " + prefix + "event_notifications n ON n.event_id = e.id"
                + " GROUP BY e.status, n.handler_name, n.state, n.owner");
    }

    long count(String table) {
        Long rows = jdbc.queryForObject("SELECT COUNT(*) FROM " + prefix + table, Long.class);
        return rows == null ? 0 : rows;
    }

}
