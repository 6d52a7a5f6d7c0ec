package io.eventqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.eventqueue.log.ProjectionJob;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = { "spring.datasource.url=jdbc:h2:mem:sample;DB_CLOSE_DELAY=-1", "shop.remote-call=1ms",
                "shop.bank-failure-rate=0" })
class SampleApplicationTests {

    @Autowired
    private ProjectionJob projections;

    private ShopClient shop;

    @BeforeEach
    void connect(@LocalServerPort int port) {
        shop = new ShopClient(port);
    }

    @Test
    void anOrderReachesAllThreeHandlers() {
        HttpResponse<String> placed = shop.post("{\"customer\": \"Ada\", \"item\": \"green tea\", \"quantity\": 2}");
        assertThat(placed.statusCode()).isEqualTo(201);
        String location = placed.headers().firstValue("Location").orElseThrow();
        long id = Long.parseLong(location.substring("/orders/".length()));
        assertThat(placed.body()).isEqualTo("{\"id\":" + id + "}");
        finished(id);
        assertThat(shop.json(location)
            .get("notifications")
            .valueStream()
            .map(notification -> notification.get("handler").asString()))
            .containsExactly("confirmation-mail", "payment", "search-index");
        assertThat(shop.order(id).get("eventStatus").asString()).isEqualTo("COMPLETED");
        assertThat(shop.states(id)).containsOnly("SUCCEEDED");
        assertThat(shop.json("/orders?search=GREEN").valueStream().map(order -> order.get("id").asLong())).contains(id);
        assertThat(shop.json("/orders").get(0).get("customer").asString()).isEqualTo("Ada");
    }

    @Test
    void aCardOverItsLimitEndsDeadWithoutARetryAndHoldsNobodyElseUp() {
        long id = Long.parseLong(shop.post("{\"customer\": \"Ada\", \"item\": \"tea\", \"quantity\": 101}")
            .headers()
            .firstValue("Location")
            .orElseThrow()
            .substring("/orders/".length()));
        finished(id);
        assertThat(shop.states(id)).isEqualTo(List.of("SUCCEEDED", "DEAD", "SUCCEEDED"));
        assertThat(shop.notification(id, "payment").get("lastError").asString()).contains("The card is good for 100");
        assertThat(shop.order(id).get("eventStatus").asString()).isEqualTo("COMPLETED_WITH_ERRORS");
    }

    @Test
    void ordersAreCountedPerCustomerAlsoAfterAReset() {
        for (int quantity : new int[] { 1, 2, 101 }) {
            shop.post("{\"customer\": \"Grace\", \"item\": \"tea\", \"quantity\": %d}".formatted(quantity));
        }
        await().until(() -> ordersOf("Grace").equals("3 orders, 104 pieces"));
        projections.reset("orders-per-customer");
        await().until(() -> ordersOf("Grace").equals("3 orders, 104 pieces"));
    }

    private String ordersOf(String customer) {
        return shop.json("/customers")
            .valueStream()
            .filter(one -> one.get("customer").asString().equals(customer))
            .map(one -> one.get("orders").asInt() + " orders, " + one.get("pieces").asInt() + " pieces")
            .findFirst()
            .orElse("none");
    }

    @Test
    void operatorsAreNotHeldToTheRulesForOrders() {
        assertThat(
                shop.post("/actuator/eventqueue/dead-letters", "{\"action\": \"discard\", \"all\": true}").statusCode())
            .isEqualTo(200);
        assertThat(shop.post("/actuator/eventqueue/dead-letters", "{\"action\":").body()).doesNotContain("tea");
    }

    private void finished(long id) {
        await().until(() -> shop.order(id).get("eventStatus").asString().startsWith("COMPLETED"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"item": "tea", "quantity": 1}                             | customer is missing
            {"customer": " ", "item": "tea", "quantity": 1}            | customer is missing
            {"customer": "Ada", "item": null, "quantity": 1}           | item is missing
            {"customer": "Ada", "item": "tea"}                         | quantity is missing
            {"customer": "Ada", "item": "tea", "quantity": 0}          | quantity is 0
            {"customer": "Ada", "item": "tea", "quantity": -1}         | quantity is -1
            {"customer": "Ada", "item": "tea", "quantity": 1001}       | quantity is 1001
            {"customer": "Ada", "item": "tea", "quantity": "1"}        | quantity has the wrong type
            {"customer": "Ada", "item": "tea", "quantity": 1.5}        | quantity has the wrong type
            {"customer": "Ada", "item": "tea", "quantity": true}       | quantity has the wrong type
            {"customer": "Ada", "item": "tea", "quantity": 9999999999} | not JSON as expected
            {"customer": 5, "item": "tea", "quantity": 1}              | customer has the wrong type
            {"customer": {"a": 1}, "item": "tea", "quantity": 1}       | customer has the wrong type
            {"customer": "A\\u0000", "item": "tea", "quantity": 1}     | customer contains characters that are not text
            {"customer": "A\\ud800", "item": "tea", "quantity": 1}     | customer contains characters that are not text
            {"customer": "Ada", "item": "tea", "quantity": 1} x        | not JSON as expected
            nonsense                                                   | not JSON as expected
            []                                                         | The body has the wrong type
            null                                                       | The body is missing
            ``                                                         | The body is missing
            """)
    void refusesBadInputWithAReason(String body, String reason) {
        HttpResponse<String> refused = shop.post(body);
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).startsWith("{\"error\":\"").contains(reason).doesNotContain("Exception");
    }

    @Test
    void refusesATextThatIsTooLong() {
        HttpResponse<String> refused = shop
            .post("{\"customer\": \"%s\", \"item\": \"tea\", \"quantity\": 1}".formatted("a".repeat(201)));
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("customer has 201 characters: 200 is the most");
    }

    @Test
    void saysThatAnOrderDoesNotExist() {
        assertThat(shop.get("/orders/999").statusCode()).isEqualTo(404);
        assertThat(shop.get("/orders/999").body()).isEqualTo("{\"error\":\"There is no order 999\"}");
    }

    @ParameterizedTest
    @ValueSource(strings = { "/", "/orders", "/orders?search=tea", "/actuator/eventqueue",
            "/actuator/eventqueue/dead-letters", "/actuator/health", "/actuator/metrics" })
    void answersWhereThePageLinks(String path) {
        assertThat(shop.get(path).statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = { "abc", "1.5", "99999999999999999999" })
    void refusesAnIdThatIsNoNumber(String id) {
        assertThat(shop.get("/orders/" + id).statusCode()).isEqualTo(400);
        assertThat(shop.get("/orders/" + id).body()).contains("id must be a number");
    }

}
