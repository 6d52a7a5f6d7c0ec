package io.eventqueue.benchmarks.measure;

/** A JSON payload of about 200 bytes that carries the number of its event. */
public final class Payload {

    private static final String REST = "\"type\":\"OrderPlaced\",\"customer\":\"c-000123\",\"amount\":\"129.90\","
            + "\"currency\":\"EUR\",\"note\":\"" + "x".repeat(110) + "\"}";

    private Payload() {
    }

    public static String of(int event) {
        return "{\"id\":" + event + "," + REST;
    }

    /**
     * The event's number, found wherever a library's own JSON formatting has moved it.
     */
    static int event(String payload) {
        int i = payload.indexOf("\"id\"") + 4;
        while (payload.charAt(i) == ':' || payload.charAt(i) == ' ') {
            i++;
        }
        int end = i;
        while (Character.isDigit(payload.charAt(end))) {
            end++;
        }
        return Integer.parseInt(payload, i, end, 10);
    }

}
