package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class PostgreSqlEngineTest extends EngineContract {

    PostgreSqlEngineTest() {
        super(TestDatabase.POSTGRESQL);
    }

}
