package io.eventqueue.testsupport;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets {@code await()} wait for a minute in every test, found by JUnit without being
 * named. What is waited for comes at once on an idle machine; ten seconds, Awaitility's
 * default, can pass on a busy one with nothing wrong.
 */
public final class PatientAwaiting implements BeforeAllCallback {

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
    }

}
