package io.eventqueue.api;

import io.eventqueue.testsupport.TestDatabase;

class PostgreSqlWorkerApiTests extends WorkerApiContract {

    PostgreSqlWorkerApiTests() {
        super(TestDatabase.POSTGRESQL);
    }

}
