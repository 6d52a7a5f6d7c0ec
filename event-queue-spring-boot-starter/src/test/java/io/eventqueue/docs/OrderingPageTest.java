package io.eventqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.EventHandler;
import io.eventqueue.EventQueue;
import io.eventqueue.PublishOptions;
import io.eventqueue.fanout.EventFanoutJob;
import io.eventqueue.handling.EventHandlingJob;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** What docs/ordering.md shows, run. */
@SpringBootTest(properties = "spring.datasource.url=jdbc:h2:mem:ordering;DB_CLOSE_DELAY=-1")
class OrderingPageTest {

    record ParcelMoved(String number, String place) {
    }

    static final List<String> CALLS = new CopyOnWriteArrayList<>();

    static class Parcels {

        @EventHandler(name = "track-parcel", ordered = true)
        void track(ParcelMoved moved) {
            CALLS.add("tracked in " + moved.place());
        }

        @EventHandler(name = "reserve-stock", priority = -10)
        void reserve(ParcelMoved moved) {
            CALLS.add("reserved in " + moved.place());
        }

    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Parcels.class)
    static class Application {

    }

    @Autowired
    private EventQueue queue;

    @Autowired
    private EventFanoutJob fanout;

    @Autowired
    private EventHandlingJob handling;

    @Test
    void keepsTheOrderOfKeysAndPriorities() {
        queue.publish(new ParcelMoved("P-1", "Hamburg"), PublishOptions.none().key("P-1"));
        queue.publish(new ParcelMoved("P-1", "Kiel"), PublishOptions.none().key("P-1"));
        while (fanout.drainOneRound() + handling.drainOneRound() > 0) {
            // until nothing is due
        }
        assertThat(CALLS).hasSize(4)
            .containsSubsequence("tracked in Hamburg", "tracked in Kiel")
            .containsSubsequence("reserved in Kiel", "tracked in Kiel");
    }

}
