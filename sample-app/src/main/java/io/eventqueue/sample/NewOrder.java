package io.eventqueue.sample;

import org.jspecify.annotations.Nullable;

/** What somebody wants to order. Creating one that makes no sense says why. */
record NewOrder(String customer, String item, int quantity) {

    static final int LARGEST_QUANTITY = 1000;

    private static final int LONGEST_TEXT = 200;

    static NewOrder of(@Nullable String customer, @Nullable String item, @Nullable Integer quantity) {
        if (quantity == null) {
            throw new InvalidOrderException("quantity is missing");
        }
        if (quantity < 1 || quantity > LARGEST_QUANTITY) {
            throw new InvalidOrderException("quantity is " + quantity + ": it must be from 1 to " + LARGEST_QUANTITY);
        }
        return new NewOrder(text("customer", customer), text("item", item), quantity);
    }

    private static String text(String field, @Nullable String value) {
        if (value == null || value.isBlank()) {
            throw new InvalidOrderException(field + " is missing");
        }
        if (value.length() > LONGEST_TEXT) {
            throw new InvalidOrderException(
                    field + " has " + value.length() + " characters: " + LONGEST_TEXT + " is the most");
        }
        if (value.codePoints().anyMatch(NewOrder::isNotText)) {
            throw new InvalidOrderException(field + " contains characters that are not text");
        }
        return value.strip();
    }

    private static boolean isNotText(int codePoint) {
        return Character.isISOControl(codePoint) || Character.getType(codePoint) == Character.SURROGATE;
    }

}
