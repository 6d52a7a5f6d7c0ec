package io.eventqueue.sample;

/** A customer ordered something. */
public record OrderPlaced(long orderId, String customer, String item, int quantity) {
}
