package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class H2OperationTest extends OperationContract {

    H2OperationTest() {
        super(TestDatabase.H2);
    }

}
