package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MySqlEngineTest extends EngineContract {

    MySqlEngineTest() {
        super(TestDatabase.MYSQL);
    }

}
