package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class PostgreSqlSemanticsTest extends SemanticsContract {

    PostgreSqlSemanticsTest() {
        super(TestDatabase.POSTGRESQL);
    }

}
