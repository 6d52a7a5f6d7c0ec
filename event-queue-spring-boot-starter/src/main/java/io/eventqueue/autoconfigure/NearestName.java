package io.eventqueue.autoconfigure;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds what was probably meant by a name that does not exist. */
final class NearestName {

    private NearestName() {
    }

    /** The nearest of {@code candidates}, unless even that one is far off. */
    static Optional<String> of(String name, Collection<String> candidates) {
        return candidates.stream()
            .min(Comparator.<String>comparingInt(candidate -> distance(name, candidate))
                .thenComparing(candidate -> candidate))
            .filter(candidate -> distance(name, candidate) <= Math.max(2, name.length() / 3));
    }

    /** The same to relaxed binding, which drops case and all but letters and digits. */
    static boolean sameRelaxed(String one, String other) {
        return plain(one).equals(plain(other));
    }

    private static String plain(String name) {
        return name.replaceAll("[^\\p{L}\\p{N}]", "").toLowerCase(Locale.ROOT);
    }

    /** How many letters to insert, remove or replace. */
    private static int distance(String one, String other) {
        int[] previous = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int[] current = new int[other.length() + 1];
            current[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = previous[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
            }
            previous = current;
        }
        return previous[other.length()];
    }

}
