package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class PostgreSqlProjectionTest extends ProjectionContract {

    PostgreSqlProjectionTest() {
        super(TestDatabase.POSTGRESQL);
    }

}
