package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class H2SemanticsTest extends SemanticsContract {

    H2SemanticsTest() {
        super(TestDatabase.H2);
    }

}
