package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class H2PriorityTest extends PriorityContract {

    H2PriorityTest() {
        super(TestDatabase.H2);
    }

}
