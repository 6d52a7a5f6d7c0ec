package io.eventqueue.contract;

import io.eventqueue.testsupport.TestDatabase;

class MySqlConsumerTest extends ConsumerContract {

    MySqlConsumerTest() {
        super(TestDatabase.MYSQL);
    }

}
