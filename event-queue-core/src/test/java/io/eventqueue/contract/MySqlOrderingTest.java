package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MySqlOrderingTest extends OrderingContract {

    MySqlOrderingTest() {
        super(TestDatabase.MYSQL);
    }

}
