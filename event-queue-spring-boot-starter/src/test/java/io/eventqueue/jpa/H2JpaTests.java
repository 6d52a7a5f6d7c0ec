package io.eventqueue.jpa;

import io.eventqueue.testsupport.TestDatabase;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

class H2JpaTests extends JpaContract {

    @DynamicPropertySource
    static void connect(DynamicPropertyRegistry registry) {
        connect(registry, TestDatabase.H2.create());
    }

}
