package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MySqlPullTest extends PullContract {

    MySqlPullTest() {
        super(TestDatabase.MYSQL);
    }

}
