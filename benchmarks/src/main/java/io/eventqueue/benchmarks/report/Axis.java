package io.eventqueue.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Places values between 0 and 1: from zero, or in powers of ten where the values lie far
 * apart.
 */
record Axis(double from, double to, boolean logarithmic) {

    static Axis linear(double largest) {
        return new Axis(0, Math.max(largest, 1), false);
    }

    static Axis logarithmic(double smallest, double largest) {
        double from = Math.pow(10, Math.floor(Math.log10(Math.max(smallest, 0.01) / 1.5)));
        double to = Math.pow(10, Math.ceil(Math.log10(Math.max(largest, from * 10))));
        return new Axis(from, to, true);
    }

    double position(double value) {
        if (!logarithmic) {
            return value / to;
        }
        return Math.max(0, Math.log10(value / from) / Math.log10(to / from));
    }

    List<Double> ticks() {
        List<Double> ticks = new ArrayList<>();
        if (logarithmic) {
            for (double tick = from; tick <= to * 1.001; tick *= 10) {
                ticks.add(tick);
            }
            return ticks;
        }
        double step = step();
        for (double tick = 0; tick <= to; tick += step) {
            ticks.add(tick);
        }
        return ticks;
    }

    /** 1, 2 or 5 times a power of ten, so that there are about four ticks. */
    private double step() {
        double rough = to / 4;
        double power = Math.pow(10, Math.floor(Math.log10(rough)));
        double factor = rough / power;
        return power * (factor < 1.5 ? 1 : factor < 3.5 ? 2 : factor < 7.5 ? 5 : 10);
    }

    /** About three digits, and no zeros that say nothing. */
    static String label(double value) {
        if (value >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        String text = String.format(Locale.ROOT, value >= 10 ? "%.1f" : "%.2f", value);
        return text.replaceFirst("\\.?0+$", "");
    }

}
