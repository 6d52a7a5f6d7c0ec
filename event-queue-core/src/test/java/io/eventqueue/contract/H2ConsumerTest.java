package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class H2ConsumerTest extends ConsumerContract {

    H2ConsumerTest() {
        super(TestDatabase.H2);
    }

}
