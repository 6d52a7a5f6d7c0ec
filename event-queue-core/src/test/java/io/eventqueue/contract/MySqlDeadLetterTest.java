package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MySqlDeadLetterTest extends DeadLetterContract {

    MySqlDeadLetterTest() {
        super(TestDatabase.MYSQL);
    }

}
