package io.eventqueue.api;

import io.eventqueue.testsupport.TestDatabase;

class H2WorkerApiTests extends WorkerApiContract {

    H2WorkerApiTests() {
        super(TestDatabase.H2);
    }

}
