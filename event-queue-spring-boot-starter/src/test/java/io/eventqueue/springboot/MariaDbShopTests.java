package io.eventqueue.springboot;

import io.eventqueue.testsupport.TestDatabase;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

class MariaDbShopTests extends ShopContract {

    @DynamicPropertySource
    static void connect(DynamicPropertyRegistry registry) {
        connect(registry, TestDatabase.MARIADB.create());
    }

    @Override
    String prefix() {
        return "eventlog_";
    }

}
