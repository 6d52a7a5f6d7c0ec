package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MySqlSemanticsTest extends SemanticsContract {

    MySqlSemanticsTest() {
        super(TestDatabase.MYSQL);
    }

}
