package io.eventqueue.benchmarks.measure;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** The numbers of one trial, or the medians of several. */
public record Measurement(Map<Metric, Double> values) {

    public Measurement {
        values = values.isEmpty() ? Map.of() : Map.copyOf(values);
    }

    public OptionalDouble get(Metric metric) {
        Double value = values.get(metric);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    public Measurement with(Metric metric, double value) {
        Map<Metric, Double> more = new EnumMap<>(Metric.class);
        more.putAll(values);
        more.put(metric, value);
        return new Measurement(more);
    }

    /** Latencies in nanoseconds, reported as percentiles in milliseconds. */
    public static Measurement ofLatencies(long[] sorted) {
        if (sorted.length == 0) {
            throw new IllegalArgumentException("no latency was measured");
        }
        return new Measurement(Map.of(Metric.P50, sorted[sorted.length / 2] / 1e6, Metric.P99,
                sorted[(int) (sorted.length * 0.99)] / 1e6));
    }

    /** Each metric's median on its own. */
    public static Measurement median(List<Measurement> trials) {
        Map<Metric, Double> medians = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            double[] values = trials.stream()
                .map(trial -> trial.get(metric))
                .flatMapToDouble(OptionalDouble::stream)
                .toArray();
            if (values.length > 0) {
                medians.put(metric, Median.of(values));
            }
        }
        return new Measurement(medians);
    }

    /** One line, read back by {@link #parse}. */
    public String format() {
        return values.entrySet()
            .stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining(" "));
    }

    public static Measurement parse(String line) {
        Map<Metric, Double> values = new EnumMap<>(Metric.class);
        for (String word : line.split(" ")) {
            String[] pair = word.split("=");
            values.put(Metric.valueOf(pair[0]), Double.valueOf(pair[1]));
        }
        return new Measurement(values);
    }
}
