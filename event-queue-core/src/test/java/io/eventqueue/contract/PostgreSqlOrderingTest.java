package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class PostgreSqlOrderingTest extends OrderingContract {

    PostgreSqlOrderingTest() {
        super(TestDatabase.POSTGRESQL);
    }

}
