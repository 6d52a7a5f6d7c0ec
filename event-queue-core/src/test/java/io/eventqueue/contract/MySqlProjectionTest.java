package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MySqlProjectionTest extends ProjectionContract {

    MySqlProjectionTest() {
        super(TestDatabase.MYSQL);
    }

}
