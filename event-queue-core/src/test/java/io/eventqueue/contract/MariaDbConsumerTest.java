package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MariaDbConsumerTest extends ConsumerContract {

    MariaDbConsumerTest() {
        super(TestDatabase.MARIADB);
    }

}
