package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class H2PullTest extends PullContract {

    H2PullTest() {
        super(TestDatabase.H2);
    }

}
