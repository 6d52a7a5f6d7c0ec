package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MariaDbOperationTest extends OperationContract {

    MariaDbOperationTest() {
        super(TestDatabase.MARIADB);
    }

}
