package io.eventqueue.jpa;

import io.eventqueue.testsupport.TestDatabase;
import org.junit.jupiter.api.condition.EnabledIf;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@EnabledIf("isAvailable")
class MySqlJpaTests extends JpaContract {

    @DynamicPropertySource
    static void connect(DynamicPropertyRegistry registry) {
        connect(registry, TestDatabase.MYSQL.create());
    }

    static boolean isAvailable() {
        return TestDatabase.MYSQL.isAvailable();
    }

}
