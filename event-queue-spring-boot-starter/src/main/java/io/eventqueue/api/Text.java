package io.eventqueue.api;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Checks text from outside before it goes anywhere. What is one line stays one line: no
 * control characters, so that nothing can forge lines in a log that shows it later.
 */
final class Text {

    static final int MAX_WORKER_ID = 255;

    private static final int MAX_TAG = 100;

    private static final int MAX_TAGS = 100;

    private static final Pattern UUID_FORM = Pattern.compile("\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");

    private Text() {
    }

    static String line(String field, String value, int maxLength) {
        if (value.isBlank()) {
            throw ApiException.badRequest(field + " is blank");
        }
        if (value.length() > maxLength) {
            throw ApiException
                .badRequest(field + " has " + value.length() + " characters, at most " + maxLength + " are allowed");
        }
        if (value.chars().anyMatch(Text::breaksLines)) {
            throw ApiException.badRequest(field + " has a control character or a line break; remove it");
        }
        return value;
    }

    /** May have several lines, but nothing a database cannot store. */
    static String lines(String field, String value) {
        if (value.indexOf('\0') >= 0) {
            throw ApiException.badRequest(field + " has a NUL character; remove it");
        }
        return value;
    }

    /** Comma-separated, in the given order; spaces around a tag do not count. */
    static Set<String> tags(String field, Iterable<String> values) {
        Set<String> tags = new LinkedHashSet<>();
        for (String value : values) {
            for (String tag : value.split(",", -1)) {
                if (!tag.isBlank()) {
                    tags.add(line(field, tag.strip(), MAX_TAG));
                }
            }
        }
        if (tags.size() > MAX_TAGS) {
            throw ApiException.badRequest(field + " has " + tags.size() + " tags, at most " + MAX_TAGS);
        }
        return tags;
    }

    static UUID uuid(String field, String value) {
        if (!UUID_FORM.matcher(value).matches()) {
            throw ApiException.badRequest(field + " is not a UUID of the form 00000000-0000-0000-0000-000000000000");
        }
        return UUID.fromString(value);
    }

    private static boolean breaksLines(int character) {
        int type = Character.getType(character);
        return type == Character.CONTROL || type == Character.LINE_SEPARATOR || type == Character.PARAGRAPH_SEPARATOR;
    }

}
