package io.eventqueue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {

    @Test
    void doublesTheWaitUpToTheCap() {
        assertThat(IntStream.rangeClosed(1, 7).mapToObj(RetryPolicy.DEFAULT::backoffAfter)).containsExactly(
                Duration.ofSeconds(30), Duration.ofSeconds(60), Duration.ofSeconds(120), Duration.ofSeconds(240),
                Duration.ofSeconds(300), Duration.ofSeconds(300), Duration.ofSeconds(300));
        assertThat(RetryPolicy.DEFAULT.backoffAfter(Integer.MAX_VALUE)).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void jitterSpreadsFailuresOfOneMomentAndNeverWaitsLonger() {
        RetryPolicy policy = RetryPolicy.DEFAULT.withJitter(0.2);
        List<Duration> waits = IntStream.range(0, 1000).mapToObj(i -> policy.backoffAfter(1)).toList();
        assertThat(waits).allMatch(wait -> wait.compareTo(Duration.ofSeconds(24)) >= 0)
            .allMatch(wait -> wait.compareTo(Duration.ofSeconds(30)) <= 0);
        assertThat(waits.stream().map(Duration::toSeconds).distinct()).contains(24L, 25L, 26L, 27L, 28L, 29L);
    }

    @Test
    void fillsGapsFromTheDefaultsAndAddsTheirUnrecoverableErrors() {
        RetryPolicy own = RetryPolicy.inherited()
            .withMaxAttempts(3)
            .withUnrecoverable(Set.of(IllegalArgumentException.class));
        RetryPolicy policy = own.orElse(RetryPolicy.DEFAULT.withUnrecoverable(Set.of(ArithmeticException.class)));
        assertThat(policy.exhausted(2)).isFalse();
        assertThat(policy.exhausted(3)).isTrue();
        assertThat(policy.backoffAfter(1)).isEqualTo(Duration.ofSeconds(30));
        assertThat(policy.isUnrecoverable(new NumberFormatException())).isTrue();
        assertThat(policy.isUnrecoverable(new ArithmeticException())).isTrue();
        assertThat(policy.isUnrecoverable(new IllegalStateException())).isFalse();
    }

}
