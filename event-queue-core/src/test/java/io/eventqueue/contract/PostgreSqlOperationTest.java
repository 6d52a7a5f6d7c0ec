package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class PostgreSqlOperationTest extends OperationContract {

    PostgreSqlOperationTest() {
        super(TestDatabase.POSTGRESQL);
    }

}
