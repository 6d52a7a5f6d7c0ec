package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class PostgreSqlDeadLetterTest extends DeadLetterContract {

    PostgreSqlDeadLetterTest() {
        super(TestDatabase.POSTGRESQL);
    }

}
