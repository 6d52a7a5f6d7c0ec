package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MariaDbProjectionTest extends ProjectionContract {

    MariaDbProjectionTest() {
        super(TestDatabase.MARIADB);
    }

}
