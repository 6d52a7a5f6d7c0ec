package io.eventqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page as somebody sees it. Skipped where no Chromium is installed. Leaves
 * screenshots in {@code target}.
 */
class PageInBrowserIT {

    @TempDir
    private Path directory;

    @Test
    void placesAnOrderAndShowsItMove() throws Exception {
        Path program = Browser.installed().orElse(null);
        Assumptions.assumeTrue(program != null, "no Chromium on the PATH");
        try (ShopProcess shop = ShopProcess.start(directory, "--shop.bank-failure-rate=1", "--shop.remote-call=5s");
                Browser browser = Browser.open(program, directory.resolve("profile"), shop.client().uri("/"))) {
            await()
                .until(() -> browser.run("document.querySelector('#empty')?.checkVisibility() ?? false").asBoolean());

            browser.run(
                    "document.querySelector('[name=item]').value = ' '; document.querySelector('#order').requestSubmit()");
            await().until(() -> browser.run("document.querySelector('#message').textContent").asString(),
                    "item is missing"::equals);

            browser.run("document.querySelector('[name=item]').value = 'tea <b>bold</b>';"
                    + "document.querySelector('#order').requestSubmit()");
            await().until(() -> count(browser, ".handler.run"), running -> running > 0);
            browser.screenshot(Path.of("target/shop-running.png"));
            await().until(() -> count(browser, ".handler.done"), done -> done == 2);
            await().until(() -> count(browser, ".handler.retry"), retries -> retries == 1);
            assertThat(browser.run("document.querySelector('.what').textContent").asString())
                .contains("tea <b>bold</b>");
            browser.screenshot(Path.of("target/shop-retrying.png"));

            shop.kill();
            await().until(() -> browser.run("document.querySelector('#message').textContent").asString(),
                    message -> message.startsWith("The application does not answer"));
        }
    }

    private static int count(Browser browser, String selector) throws InterruptedException {
        return browser.run("document.querySelectorAll('%s').length".formatted(selector)).asInt();
    }

}
