package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.eventqueue.EventHandlerRegistry;
import io.eventqueue.PublishOptions;
import io.eventqueue.jdbc.SchemaMigration;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.MutableClock;
import io.eventqueue.testsupport.StatementRecorder;
import io.eventqueue.testsupport.StatementRecorder.Executed;
import io.eventqueue.testsupport.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A worker that asks for its tags does not pay for what waits under other tags, also if
 * that is of the same type and due.
 */
class SubscribePlanTest {

    private static final int FOREIGN = 100_000;

    private static final double A_FEW_ROWS = 10;

    private static final int A_FEW_PAGES = 100;

    record Job(int number) {
    }

    @ParameterizedTest
    @EnumSource(names = { "POSTGRESQL", "MARIADB" })
    void readsOnlyWhatItHandsOut(TestDatabase kind) {
        try (FreshDatabase fresh = kind.create()) {
            SchemaMigration.migrate(fresh.dataSource());
            StatementRecorder recorder = new StatementRecorder(fresh.dataSource());
            try (Node node = new Node(recorder, new MutableClock(),
                    EventHandlerRegistry.eventHandlerRegistry().build())) {
                fill(node, fresh);
                recorder.drain();
                recorder.explain(true);

                assertThat(node.queue.poll(Set.of("mine", "absent"), "worker")).isPresent();
                assertThat(node.queue.poll(Set.of("mine"), "worker")).as("nothing is left").isEmpty();

                List<Executed> statements = recorder.drain();
                assertThat(statements).anyMatch(each -> each.sql().contains("SKIP LOCKED"))
                    .flatMap(Executed::rowsRead)
                    .as("rows read by %s", statements)
                    .isNotEmpty()
                    .allMatch(rows -> rows <= A_FEW_ROWS);
                assertThat(statements).allMatch(each -> each.pagesRead() <= A_FEW_PAGES);
                assertThat(statements.stream().mapToInt(Executed::pagesRead).sum() > 0)
                    .as("pages are counted on PostgreSQL")
                    .isEqualTo(kind == TestDatabase.POSTGRESQL);
            }
        }
    }

    private static void fill(Node node, FreshDatabase fresh) {
        for (int from = 0; from < FOREIGN; from += 5000) {
            node.queue.publishAll(IntStream.range(from, from + 5000).mapToObj(Job::new).toList());
        }
        node.database.update("INSERT INTO {event_tags} (event_id, tag, event_type, available_at)"
                + " SELECT id, 'foreign', event_type, available_at FROM {events}", Map.of());
        node.queue.publish(new Job(FOREIGN), PublishOptions.none().tags("mine"));
        HotStatementPlanTest.analyze(fresh, node);
    }

}
