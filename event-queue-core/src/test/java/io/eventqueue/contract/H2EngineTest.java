package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class H2EngineTest extends EngineContract {

    H2EngineTest() {
        super(TestDatabase.H2);
    }

}
