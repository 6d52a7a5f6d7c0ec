package io.eventqueue.benchmarks.trial;

import io.eventqueue.benchmarks.measure.Metric;
import java.util.Arrays;
import java.util.List;

/** What is measured. The title is the column of the table and of the chart. */
public enum Phase {

    PUBLISH_ONE("publish-one", "publish, 1 per transaction", Metric.RATE),
    PUBLISH_HUNDRED("publish-100", "publish, 100 per transaction", Metric.RATE), DRAIN("drain", "drain", Metric.RATE),
    DRAIN_LONG("drain-long", "drain, long backlog", Metric.RATE),
    DRAIN_HELD("drain-held", "drain, xmin held", Metric.RATE),
    DRAIN_FANOUT("drain-fanout", "drain, 3 handlers", Metric.RATE), LATENCY("latency", "latency, one JVM", Metric.P50),
    LATENCY_TWO_JVMS("latency-two", "latency, two JVMs", Metric.P50),
    SUBSCRIBE("subscribe", "subscribe, nothing else pending", Metric.P50),
    SUBSCRIBE_FOREIGN("subscribe-foreign", "subscribe, 100,000 foreign pending", Metric.P50);

    private final String argument;

    private final String title;

    private final Metric metric;

    Phase(String argument, String title, Metric metric) {
        this.argument = argument;
        this.title = title;
        this.metric = metric;
    }

    public String argument() {
        return argument;
    }

    public String title() {
        return title;
    }

    /** The number that is compared. */
    public Metric metric() {
        return metric;
    }

    /** How many handlers every event has in this phase. */
    public int handlers() {
        return this == DRAIN_FANOUT ? 3 : 1;
    }

    public boolean publishes() {
        return this == PUBLISH_ONE || this == PUBLISH_HUNDRED;
    }

    public boolean pulls() {
        return this == SUBSCRIBE || this == SUBSCRIBE_FOREIGN;
    }

    public static Phase of(String argument) {
        return Arrays.stream(values())
            .filter(phase -> phase.argument.equals(argument))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no phase '" + argument + "'; there are " + arguments()));
    }

    public static List<String> arguments() {
        return Arrays.stream(values()).map(Phase::argument).toList();
    }

}
