package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MariaDbSemanticsTest extends SemanticsContract {

    MariaDbSemanticsTest() {
        super(TestDatabase.MARIADB);
    }

}
