package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MariaDbOrderingTest extends OrderingContract {

    MariaDbOrderingTest() {
        super(TestDatabase.MARIADB);
    }

}
