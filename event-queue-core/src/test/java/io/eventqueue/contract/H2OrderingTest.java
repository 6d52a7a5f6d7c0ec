package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class H2OrderingTest extends OrderingContract {

    H2OrderingTest() {
        super(TestDatabase.H2);
    }

}
