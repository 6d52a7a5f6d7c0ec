package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class PostgreSqlPriorityTest extends PriorityContract {

    PostgreSqlPriorityTest() {
        super(TestDatabase.POSTGRESQL);
    }

}
