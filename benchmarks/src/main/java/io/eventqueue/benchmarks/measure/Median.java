package io.eventqueue.benchmarks.measure;

import java.util.Arrays;

/** The middle value; the mean of the two in the middle when their number is even. */
public final class Median {

    private Median() {
    }

    public static double of(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

}
