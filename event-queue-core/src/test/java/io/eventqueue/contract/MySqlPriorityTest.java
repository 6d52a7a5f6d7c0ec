package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MySqlPriorityTest extends PriorityContract {

    MySqlPriorityTest() {
        super(TestDatabase.MYSQL);
    }

}
