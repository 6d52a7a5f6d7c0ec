package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MariaDbDeadLetterTest extends DeadLetterContract {

    MariaDbDeadLetterTest() {
        super(TestDatabase.MARIADB);
    }

}
