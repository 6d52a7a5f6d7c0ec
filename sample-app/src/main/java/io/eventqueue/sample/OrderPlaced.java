package io.eventqueue.sample;

/** Somebody ordered something. Stored as JSON, so its fields are part of the schema. */
record OrderPlaced(long orderId, String customer, String item, int quantity) {
}
