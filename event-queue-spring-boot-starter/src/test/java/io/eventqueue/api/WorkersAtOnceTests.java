package io.eventqueue.api;

import static io.eventqueue.api.ApiClient.event;
import static io.eventqueue.api.ApiClient.report;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.EventQueue;
import io.eventqueue.PublishOptions;
import io.eventqueue.api.ApiClient.Answer;
import io.eventqueue.testsupport.FreshDatabase;
import io.eventqueue.testsupport.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Many workers, with the database's own clock. */
class WorkersAtOnceTests {

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = { "H2", "POSTGRESQL" })
    void fiftyWorkersNeverGetOneEventTwice(TestDatabase kind) throws Exception {
        ApiServer server = start(kind);
        ApiClient api = server.client();
        EventQueue queue = server.bean(EventQueue.class);
        for (int i = 0; i < 300; i++) {
            queue.publish(Map.of("n", i), PublishOptions.none().type("work").tags("work"));
        }
        Queue<String> picked = new ConcurrentLinkedQueue<>();
        CountDownLatch ready = new CountDownLatch(50);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> workers = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                String worker = "host:" + i;
                workers.add(threads.submit(() -> {
                    ready.countDown();
                    ready.await();
                    Answer event = pick(api, "work", worker);
                    while (event.status() == 200) {
                        picked.add(event.field("id"));
                        assertThat(api.post("/events/" + event.field("id") + "/complete", report(worker)).status())
                            .isEqualTo(200);
                        event = pick(api, "work", worker);
                    }
                    return null;
                }));
            }
            for (Future<?> worker : workers) {
                worker.get();
            }
        }
        // Whoever saw nothing may have seen only what others had locked.
        assertThat(pick(api, "work", "last:1").status()).isEqualTo(204);
        assertThat(picked).hasSize(300).doesNotHaveDuplicates();
        assertThat(api.get("/events?status=COMPLETED&limit=1").json().path("total").intValue()).isEqualTo(300);
    }

    @ParameterizedTest
    @EnumSource(names = { "H2", "POSTGRESQL" })
    void waitingWorkersHoldNeitherThreadsNorConnectionsAndAreWokenByACommit(TestDatabase kind) {
        ApiServer server = start(kind, "server.tomcat.threads.max=3", "spring.datasource.hikari.maximum-pool-size=2",
                "event-queue.api.poll-delay=1h", "event-queue.api.max-wait=100s");
        ApiClient api = server.client();
        List<CompletableFuture<Answer>> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waiting.add(api.getAsync("/events/subscribe?tags=news&wait=100&worker_id=w:" + i));
        }
        WaitingWorkers workers = server.bean(WaitingWorkers.class);
        await().until(() -> workers.count() == 100);
        assertThat(api.get("/events").status()).as("others are served meanwhile").isEqualTo(200);

        String id = api.post("/events", event("first", "news")).field("id");
        await().until(() -> waiting.stream().anyMatch(CompletableFuture::isDone));
        server.bean(EventQueue.class).publish(Map.of(), PublishOptions.none().type("t").tags("other"));
        assertThat(waiting.stream().filter(CompletableFuture::isDone).map(CompletableFuture::join)).singleElement()
            .satisfies(answer -> assertThat(answer.field("id")).isEqualTo(id));
        assertThat(workers.count()).isEqualTo(99);

        for (int i = 0; i < 99; i++) {
            api.post("/events", event("more", "news"));
        }
        List<String> ids = waiting.stream().map(CompletableFuture::join).map(answer -> answer.field("id")).toList();
        assertThat(ids).doesNotHaveDuplicates().hasSize(100);
        assertThat(workers.count()).isZero();
    }

    @Test
    void aCommitOnAnotherNodeWakesThoseWhoWaitOnPostgreSql() {
        FreshDatabase database = TestDatabase.POSTGRESQL.create(1);
        open.add(database);
        ApiServer here = start(database, "event-queue.api.poll-delay=1h");
        ApiServer there = start(database);
        CompletableFuture<Answer> waiting = here.client().getAsync("/events/subscribe?tags=news&wait=30&worker_id=w:1");
        await().until(() -> here.bean(WaitingWorkers.class).count() == 1);
        String id = there.client().post("/events", event("first", "news")).field("id");
        assertThat(waiting.join().field("id")).isEqualTo(id);
    }

    @Test
    void aWaitEndsWithoutAnEventAndIsBounded() {
        ApiServer server = start(TestDatabase.H2, "event-queue.api.max-wait=300ms");
        long before = System.nanoTime();
        Answer answer = server.client().get("/events/subscribe?tags=news&wait=3600&worker_id=w:1");
        assertThat(answer.status()).isEqualTo(204);
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
    }

    @Test
    void aWaitingWorkerGetsAnEventWhoseLeaseHasEnded() {
        ApiServer server = start(TestDatabase.H2, "event-queue.api.lease=500ms", "event-queue.api.poll-delay=50ms");
        ApiClient api = server.client();
        String id = api.post("/events", event("orphan", "orphans")).field("id");
        pick(api, "orphans", "dead:1");
        Answer second = api.get("/events/subscribe?tags=orphans&wait=20s&worker_id=alive:2");
        assertThat(second.field("id")).isEqualTo(id);
        assertThat(api.post("/events/" + id + "/complete", report("dead:1")).status()).isEqualTo(409);
    }

    @Test
    void moreThanMayWaitAreAnsweredAtOnce() {
        ApiServer server = start(TestDatabase.H2, "event-queue.api.max-waiting=1");
        CompletableFuture<Answer> first = server.client().getAsync("/events/subscribe?tags=a&wait=30&worker_id=w:1");
        await().until(() -> server.bean(WaitingWorkers.class).count() == 1);
        assertThat(server.client().get("/events/subscribe?tags=a&wait=30&worker_id=w:2").status()).isEqualTo(204);
        assertThat(first).isNotDone();
    }

    @ParameterizedTest
    @ValueSource(strings = { "graceful", "immediate" })
    void stoppingAnswersThoseWhoWait(String shutdown) {
        ApiServer server = start(TestDatabase.H2, "server.shutdown=" + shutdown, "event-queue.api.max-wait=100s");
        ApiClient client = server.client();
        List<CompletableFuture<Answer>> waiting = IntStream.range(0, 100)
            .mapToObj(i -> client.getAsync("/events/subscribe?tags=a&wait=100&worker_id=w:" + i))
            .toList();
        await().until(() -> server.bean(WaitingWorkers.class).count() == 100);
        server.close();
        assertThat(waiting).extracting(answer -> answer.join().status()).containsOnly(204);
    }

    private ApiServer start(TestDatabase kind, String... properties) {
        FreshDatabase database = kind.create(1);
        open.add(database);
        return start(database, properties);
    }

    private ApiServer start(FreshDatabase database, String... properties) {
        ApiServer server = ApiServer.startWithToken(database, ApiServer.Plain.class, properties);
        open.add(server);
        return server;
    }

    private static Answer pick(ApiClient api, String tag, String worker) {
        return api.get("/events/subscribe?tags=" + tag + "&worker_id=" + worker);
    }

}
