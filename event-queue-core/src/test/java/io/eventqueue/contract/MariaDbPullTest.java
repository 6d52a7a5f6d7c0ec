package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MariaDbPullTest extends PullContract {

    MariaDbPullTest() {
        super(TestDatabase.MARIADB);
    }

}
