package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MariaDbEngineTest extends EngineContract {

    MariaDbEngineTest() {
        super(TestDatabase.MARIADB);
    }

}
