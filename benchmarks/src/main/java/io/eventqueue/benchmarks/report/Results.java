package io.eventqueue.benchmarks.report;

import io.eventqueue.benchmarks.measure.Measurement;
import io.eventqueue.benchmarks.measure.Median;
import io.eventqueue.benchmarks.measure.Metric;
import io.eventqueue.benchmarks.process.Description;
import io.eventqueue.benchmarks.trial.Phase;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;

/** All measurements of a run, by contender, phase and round. */
public final class Results {

    private record Key(String contender, Phase phase) {
    }

    private final Map<String, Description> descriptions = new LinkedHashMap<>();

    private final Map<Key, TreeMap<Integer, Measurement>> rounds = new LinkedHashMap<>();

    private final Map<Key, Measurement> counted = new LinkedHashMap<>();

    private final List<String> failures = new ArrayList<>();

    public void describe(String contender, Description description) {
        descriptions.put(contender, description);
    }

    public void add(String contender, Phase phase, int round, Measurement measurement) {
        rounds.computeIfAbsent(new Key(contender, phase), key -> new TreeMap<>()).put(round, measurement);
    }

    public void addCounted(String contender, Phase phase, Measurement measurement) {
        counted.put(new Key(contender, phase), measurement);
    }

    public void fail(String message) {
        failures.add(message);
    }

    List<String> failures() {
        return failures;
    }

    Map<String, Description> descriptions() {
        return descriptions;
    }

    /** A metric's median over the rounds, or from the counted trial. */
    public OptionalDouble median(String contender, Phase phase, Metric metric) {
        Key key = new Key(contender, phase);
        List<Measurement> all = new ArrayList<>(rounds.getOrDefault(key, new TreeMap<>()).values());
        Optional.ofNullable(counted.get(key)).ifPresent(all::add);
        return Measurement.median(all).get(metric);
    }

    /**
     * The median of the quotients of each round; empty if no round has both measurements.
     */
    public OptionalDouble ratio(Ratio ratio, String subject) {
        Map<Integer, Measurement> dividends = of(ratio.dividend(subject), ratio.dividendPhase());
        Map<Integer, Measurement> divisors = of(ratio.divisor(subject), ratio.divisorPhase());
        double[] quotients = dividends.keySet()
            .stream()
            .filter(divisors::containsKey)
            .mapToDouble(round -> value(dividends, round, ratio.dividendPhase())
                    / value(divisors, round, ratio.divisorPhase()))
            .toArray();
        return quotients.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(Median.of(quotients));
    }

    private Map<Integer, Measurement> of(String contender, Phase phase) {
        return rounds.getOrDefault(new Key(contender, phase), new TreeMap<>());
    }

    private static double value(Map<Integer, Measurement> measurements, int round, Phase phase) {
        Measurement measurement = measurements.getOrDefault(round, new Measurement(Map.of()));
        return measurement.get(phase.metric()).orElse(Double.NaN);
    }

    /** The phases that anybody was measured in. */
    List<Phase> phases() {
        return List.of(Phase.values())
            .stream()
            .filter(phase -> rounds.keySet().stream().anyMatch(key -> key.phase() == phase))
            .toList();
    }

}
