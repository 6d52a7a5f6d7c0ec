package io.eventqueue.api;

import io.eventqueue.testsupport.TestDatabase;

class MariaDbWorkerApiTests extends WorkerApiContract {

    MariaDbWorkerApiTests() {
        super(TestDatabase.MARIADB);
    }

}
