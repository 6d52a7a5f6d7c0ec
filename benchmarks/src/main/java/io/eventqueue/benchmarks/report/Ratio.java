package io.eventqueue.benchmarks.report;

import io.eventqueue.benchmarks.trial.Phase;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The comparisons the library is held to. Each is a quotient of two measurements of the
 * same round, so that what else the machine does hits both, and the median over the
 * rounds is reported.
 */
public enum Ratio {

    DRAIN_VS_DB_SCHEDULER(4.0, Phase.DRAIN, null, Phase.DRAIN, "db-scheduler"),
    DRAIN_VS_JDBC_FANOUT(1.0, Phase.DRAIN, null, Phase.DRAIN, "jdbc-fanout"),
    DRAIN_200K_VS_20K(0.9, Phase.DRAIN_LONG, null, Phase.DRAIN, null),
    PUBLISH_VS_INSERT(0.9, Phase.PUBLISH_ONE, null, Phase.PUBLISH_ONE, "jdbc-insert"),
    /** Theirs by ours, because less is better. */
    LATENCY_P50_VS_TRANSACTION_OUTBOX(1.0, Phase.LATENCY, "transaction-outbox", Phase.LATENCY, null),
    DRAIN_HELD_XMIN_VS_FREE(0.7, Phase.DRAIN_HELD, null, Phase.DRAIN, null),
    /** With nothing else pending by with 100,000 events of other workers. */
    SUBSCRIBE_FREE_VS_FOREIGN(0.8, Phase.SUBSCRIBE, null, Phase.SUBSCRIBE_FOREIGN, null);

    private final double target;

    private final Phase dividendPhase;

    private final @Nullable String dividendContender;

    private final Phase divisorPhase;

    private final @Nullable String divisorContender;

    /** A contender that is null is the subject. */
    Ratio(double target, Phase dividendPhase, @Nullable String dividendContender, Phase divisorPhase,
            @Nullable String divisorContender) {
        this.target = target;
        this.dividendPhase = dividendPhase;
        this.dividendContender = dividendContender;
        this.divisorPhase = divisorPhase;
        this.divisorContender = divisorContender;
    }

    /** The least it should be. */
    public double target() {
        return target;
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    Phase dividendPhase() {
        return dividendPhase;
    }

    String dividend(String subject) {
        return dividendContender == null ? subject : dividendContender;
    }

    Phase divisorPhase() {
        return divisorPhase;
    }

    String divisor(String subject) {
        return divisorContender == null ? subject : divisorContender;
    }

    /** Whether any ratio is made of this contender's measurement in this phase. */
    public static boolean needs(String subject, String contender, Phase phase) {
        for (Ratio ratio : values()) {
            if (ratio.dividend(subject).equals(contender) && ratio.dividendPhase == phase
                    || ratio.divisor(subject).equals(contender) && ratio.divisorPhase == phase) {
                return true;
            }
        }
        return false;
    }

    /** All contenders that any ratio needs. */
    public static Set<String> contenders(String subject) {
        Set<String> names = new TreeSet<>();
        for (Ratio ratio : values()) {
            names.add(ratio.dividend(subject));
            names.add(ratio.divisor(subject));
        }
        return names;
    }

}
