package io.eventqueue.springboot;

import io.eventqueue.testsupport.TestDatabase;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@EnabledIf("isAvailable")
class MySqlShopTests extends ShopContract {

    @DynamicPropertySource
    static void connect(DynamicPropertyRegistry registry) {
        connect(registry, TestDatabase.MYSQL.create());
    }

    static boolean isAvailable() {
        return TestDatabase.MYSQL.isAvailable();
    }

    @Override
    String prefix() {
        return "eventlog_";
    }

}
