package io.eventqueue.contract;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.eventqueue.IncomingEvent;
import io.eventqueue.InvalidIncomingEventException;
import io.eventqueue.testsupport.TestDatabase;
import java.util.List;
import java.util.UUID;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class PostgreSqlConsumerTest extends ConsumerContract {

    PostgreSqlConsumerTest() {
        super(TestDatabase.POSTGRESQL);
    }

    @Test
    void namesTheOneOnlyTheDatabaseRefuses() {
        IncomingEvent refused = IncomingEvent.json(UUID.randomUUID(), "Placed", "{\"name\":\"\\u0000\"}");
        assertThatThrownBy(() -> consumer().consume(List.of(placed(1), placed(1), refused))).isInstanceOfSatisfying(
                InvalidIncomingEventException.class, e -> Assertions.assertThat(e.index()).isEqualTo(2));
    }

}
