package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class PostgreSqlPullTest extends PullContract {

    PostgreSqlPullTest() {
        super(TestDatabase.POSTGRESQL);
    }

}
