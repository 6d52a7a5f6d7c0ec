package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class H2DeadLetterTest extends DeadLetterContract {

    H2DeadLetterTest() {
        super(TestDatabase.H2);
    }

}
