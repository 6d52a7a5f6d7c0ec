package io.eventqueue.springboot;

import io.eventqueue.testsupport.TestDatabase;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

class PostgreSqlShopTests extends ShopContract {

    @DynamicPropertySource
    static void connect(DynamicPropertyRegistry registry) {
        connect(registry, TestDatabase.POSTGRESQL.create());
    }

}
