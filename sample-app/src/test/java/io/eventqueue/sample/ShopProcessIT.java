package io.eventqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The shop as a process: stopped, killed, and beside another one. */
@Timeout(600)
class ShopProcessIT {

    private static final String BANK_IS_AWAY = "--shop.bank-failure-rate=1";

    private static final String BANK_ANSWERS = "--shop.bank-failure-rate=0";

    @TempDir
    private Path directory;

    @Test
    void goesOnAfterARestartWhereItStopped() {
        long order;
        try (ShopProcess shop = ShopProcess.start(directory, BANK_IS_AWAY)) {
            order = shop.client().place("tea");
            await().until(() -> shop.client().states(order), List.of("SUCCEEDED", "FAILED", "SUCCEEDED")::equals);
        }
        try (ShopProcess shop = ShopProcess.start(directory, BANK_ANSWERS)) {
            await().untilAsserted(() -> assertThat(shop.client().states(order)).containsOnly("SUCCEEDED"));
            assertThat(shop.client().notification(order, "payment").get("attempts").asInt()).isGreaterThan(1);
            assertThat(shop.client().notification(order, "search-index").get("attempts").asInt()).isEqualTo(1);
            assertThat(shop.client().order(order).get("eventStatus").asString()).isEqualTo("COMPLETED");
        }
    }

    @Test
    void hasAnOrderOnDiskBeforeItSaysSo() {
        ShopProcess victim = ShopProcess.start(directory, BANK_ANSWERS);
        long order = victim.client().place("tea");
        victim.kill();
        try (ShopProcess shop = ShopProcess.start(directory, BANK_ANSWERS)) {
            assertThat(shop.client().get("/orders/" + order).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void losesNothingThatWasAcknowledgedWhenItIsKilled() {
        String shortLease = "--event-queue.abandonment-timeout=2s";
        Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
        ShopProcess victim = ShopProcess.start(directory, BANK_ANSWERS, shortLease, "--shop.remote-call=1s");
        try (ExecutorService customers = Executors.newVirtualThreadPerTaskExecutor()) {
            IntStream.range(0, 200)
                .forEach(i -> customers.execute(() -> acknowledged.add(victim.client().place("tea" + i))));
            await().until(() -> acknowledged.size() >= 60);
            victim.kill();
        }
        try (ShopProcess shop = ShopProcess.start(directory, BANK_ANSWERS, shortLease, "--shop.remote-call=1ms")) {
            assertThat(acknowledged).allSatisfy(order -> await()
                .untilAsserted(() -> assertThat(shop.client().states(order)).hasSize(3).containsOnly("SUCCEEDED")));
        }
    }

    @Test
    void twoInstancesOnOnePostgresShareTheWork() {
        try (FreshDatabase database = TestDatabase.POSTGRESQL.create(1)) {
            String[] arguments = { "--spring.profiles.active=postgres", "--spring.datasource.url=" + database.jdbcUrl(),
                    "--spring.datasource.username=" + database.user(),
                    "--spring.datasource.password=" + database.password(), BANK_ANSWERS, "--shop.remote-call=100ms",
                    "--event-queue.handling.concurrency=4", "--event-queue.fanout-batch-size=4" };
            try (ShopProcess one = ShopProcess.start(directory, arguments);
                    ShopProcess two = ShopProcess.start(directory, arguments)) {
                List<Long> orders = IntStream.range(0, 60).mapToObj(i -> one.client().place("tea" + i)).toList();
                assertThat(orders).allSatisfy(order -> {
                    await().untilAsserted(
                            () -> assertThat(two.client().states(order)).hasSize(3).containsOnly("SUCCEEDED"));
                    assertThat(two.client().order(order).get("notifications").valueStream())
                        .allSatisfy(notification -> assertThat(notification.get("attempts").asInt()).isEqualTo(1));
                });
                assertThat(paidBy(one)).isPositive();
                assertThat(paidBy(two)).isPositive();
                assertThat(paidBy(one) + paidBy(two)).isEqualTo(60);
            }
        }
    }

    private static long paidBy(ShopProcess shop) {
        return Pattern.compile("Order \\d+ is paid").matcher(shop.output()).results().count();
    }

}
