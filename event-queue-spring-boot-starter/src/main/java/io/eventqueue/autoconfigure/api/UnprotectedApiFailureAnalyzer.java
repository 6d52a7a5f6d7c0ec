package io.eventqueue.autoconfigure.api;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says how to protect the worker API. */
final class UnprotectedApiFailureAnalyzer extends AbstractFailureAnalyzer<UnprotectedApiException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnprotectedApiException cause) {
        return new FailureAnalysis(cause.getMessage(),
                "Set event-queue.api.token to a long random text that callers send as 'Authorization: Bearer', or add"
                        + " Spring Security with a SecurityFilterChain that covers the path.",
                cause);
    }

}
