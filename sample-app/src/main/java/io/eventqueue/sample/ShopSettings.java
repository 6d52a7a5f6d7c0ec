package io.eventqueue.sample;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How the world around the shop behaves.
 *
 * @param remoteCall how long mail and bank take
 * @param bankFailureRate how often the bank does not answer, from 0 to 1
 * @param cardLimit pieces in one order that cards are good for
 */
@ConfigurationProperties("shop")
record ShopSettings(@DefaultValue("400ms") Duration remoteCall, @DefaultValue("0.35") double bankFailureRate,
        @DefaultValue("100") int cardLimit) {
}
