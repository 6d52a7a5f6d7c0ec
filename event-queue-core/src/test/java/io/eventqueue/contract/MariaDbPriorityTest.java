package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MariaDbPriorityTest extends PriorityContract {

    MariaDbPriorityTest() {
        super(TestDatabase.MARIADB);
    }

}
