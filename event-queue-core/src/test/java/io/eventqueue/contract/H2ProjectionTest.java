package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class H2ProjectionTest extends ProjectionContract {

    H2ProjectionTest() {
        super(TestDatabase.H2);
    }

}
