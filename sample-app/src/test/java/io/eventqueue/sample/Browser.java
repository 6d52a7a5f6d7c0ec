package io.eventqueue.sample;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A headless Chromium with one page open, told what to do by the DevTools protocol: one
 * request at a time over a web socket.
 */
final class Browser implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final Pattern LISTENING = Pattern.compile("DevTools listening on ws://([^/]+)/");

    private final Process process;

    private final Receiver receiver;

    private final WebSocket socket;

    private int requests;

    private Browser(Process process, Receiver receiver, WebSocket socket) {
        this.process = process;
        this.receiver = receiver;
        this.socket = socket;
    }

    /** The browser installed on this machine, if there is one. */
    static Optional<Path> installed() {
        return Arrays.stream(System.getenv("PATH").split(":"))
            .flatMap(directory -> Stream.of("chromium", "chromium-browser", "google-chrome")
                .map(name -> Path.of(directory, name)))
            .filter(Files::isExecutable)
            .findFirst();
    }

    static Browser open(Path program, Path profile, URI page) throws Exception {
        Process process = new ProcessBuilder(program.toString(), "--headless", "--no-sandbox", "--disable-gpu",
                "--disable-dev-shm-usage", "--no-first-run", "--window-size=1100,1000", "--remote-debugging-port=0",
                "--user-data-dir=" + profile)
            .redirectErrorStream(true)
            .start();
        HttpClient http = HttpClient.newHttpClient();
        HttpRequest newPage = HttpRequest.newBuilder(URI.create("http://" + address(process) + "/json/new?" + page))
            .PUT(BodyPublishers.noBody())
            .build();
        JsonNode target = JSON.readTree(http.send(newPage, BodyHandlers.ofString()).body());
        Receiver receiver = new Receiver();
        WebSocket socket = http.newWebSocketBuilder()
            .buildAsync(URI.create(target.get("webSocketDebuggerUrl").asString()), receiver)
            .get(30, TimeUnit.SECONDS);
        return new Browser(process, receiver, socket);
    }

    private static String address(Process process) throws IOException {
        BufferedReader output = process.inputReader();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            Matcher listening = LISTENING.matcher(line);
            if (listening.find()) {
                return listening.group(1);
            }
        }
        throw new IllegalStateException("The browser ended before it listened");
    }

    /** Runs a script in the page and returns its value. */
    JsonNode run(String script) throws InterruptedException {
        JsonNode result = request("Runtime.evaluate",
                Map.of("expression", script, "awaitPromise", true, "returnByValue", true));
        if (result.has("exceptionDetails")) {
            throw new IllegalStateException(result.get("exceptionDetails").toString());
        }
        return result.get("result").path("value");
    }

    void screenshot(Path file) throws Exception {
        String png = request("Page.captureScreenshot", Map.of("format", "png")).get("data").asString();
        Files.write(file, Base64.getDecoder().decode(png));
    }

    private JsonNode request(String method, Map<String, Object> parameters) throws InterruptedException {
        int id = ++requests;
        socket.sendText(JSON.writeValueAsString(Map.of("id", id, "method", method, "params", parameters)), true).join();
        while (true) {
            JsonNode message = receiver.messages.poll(30, TimeUnit.SECONDS);
            if (message == null) {
                throw new IllegalStateException("No answer to " + method);
            }
            if (message.path("id").asInt(-1) == id) {
                return message.get("result");
            }
        }
    }

    @Override
    public void close() {
        socket.abort();
        process.destroyForcibly();
        process.onExit().join();
    }

    private static final class Receiver implements WebSocket.Listener {

        private final StringBuilder text = new StringBuilder();

        private final BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();

        @Override
        public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                messages.add(JSON.readTree(text.toString()));
                text.setLength(0);
            }
            webSocket.request(1);
            return null;
        }

    }

}
