package io.eventqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.testsupport.MarkdownPage;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The walk through docs/dead-letters.md, with the commands of the page. */
class DeadLetterWalkIT {

    private static final Pattern CURL = Pattern
        .compile("curl (?:-H '[^']*' -d '(?<body>[^']*)' )?'?http://localhost:8080(?<path>[^' ]*)'?");

    private static final String BANK_ANSWERS = "--shop.bank-failure-rate=0";

    private static final List<Matcher> COMMANDS = MarkdownPage.of("docs/dead-letters.md")
        .blocks("bash")
        .stream()
        .flatMap(String::lines)
        .map(CURL::matcher)
        .toList();

    private static JsonNode run(int command, ShopProcess shop) {
        Matcher curl = COMMANDS.get(command);
        assertThat(curl.matches()).isTrue();
        String body = curl.group("body");
        HttpResponse<String> answer = body == null ? shop.client().get(curl.group("path"))
                : shop.client().post(curl.group("path"), body);
        assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 201);
        return JsonMapper.builder().build().readTree(answer.body());
    }

    private static void awaitStates(ShopProcess shop, String... states) {
        await().untilAsserted(() -> assertThat(shop.client().states(1)).containsExactly(states));
    }

    @Test
    void aDeadPaymentIsReplayedWhenItsCauseIsMended(@TempDir Path directory) {
        assertThat(COMMANDS).hasSize(5);
        try (ShopProcess shop = ShopProcess.start(directory, BANK_ANSWERS)) {
            run(0, shop);
            awaitStates(shop, "SUCCEEDED", "DEAD", "SUCCEEDED");
            assertThat(run(1, shop).get("eventStatus").asString()).isEqualTo("COMPLETED_WITH_ERRORS");
            assertThat(run(2, shop).get("deadLetters").size()).isEqualTo(1);
        }
        try (ShopProcess shop = ShopProcess.start(directory, BANK_ANSWERS, "--shop.card-limit=1000")) {
            assertThat(run(2, shop).get("deadLetters").size()).as("it is still there").isEqualTo(1);
            assertThat(run(3, shop).get("deadLetters").asInt()).isEqualTo(1);
            awaitStates(shop, "SUCCEEDED", "SUCCEEDED", "SUCCEEDED");
            assertThat(run(4, shop).get("eventStatus").asString()).isEqualTo("COMPLETED");
            assertThat(shop.client().notification(1, "payment").get("attempts").asInt()).isEqualTo(2);
            assertThat(shop.output().toLowerCase(Locale.ROOT)).as("the others do not run again")
                .doesNotContain("mail for order")
                .doesNotContain("can be found");
            assertThat(shop.client().json("/orders?search=green").size()).isEqualTo(1);
            assertThat(run(2, shop).get("deadLetters").size()).isZero();
        }
    }

}
