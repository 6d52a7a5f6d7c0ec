package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MySqlOperationTest extends OperationContract {

    MySqlOperationTest() {
        super(TestDatabase.MYSQL);
    }

}
