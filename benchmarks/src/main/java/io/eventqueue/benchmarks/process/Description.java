package io.eventqueue.benchmarks.process;

import io.eventqueue.benchmarks.contender.Contender;
import io.eventqueue.benchmarks.contender.PullContender;
import io.eventqueue.benchmarks.trial.Phase;

/** What a contender says about itself when it has started. */
public record Description(String version, String settings, boolean handles, boolean worksAcrossJvms, boolean pulls) {

    static Description of(Contender contender) {
        return new Description(contender.version(), contender.settings(), contender.handles(),
                contender.worksAcrossJvms(), contender instanceof PullContender);
    }

    /** Whether the contender can take part in a phase. */
    public boolean supports(Phase phase) {
        if (phase.pulls()) {
            return pulls;
        }
        return phase.publishes() || handles && (phase != Phase.LATENCY_TWO_JVMS || worksAcrossJvms);
    }

    /** One line, read back by {@link #parse}. */
    String format() {
        return String.join("\t", version, settings, "" + handles, "" + worksAcrossJvms, "" + pulls);
    }

    static Description parse(String line) {
        String[] fields = line.split("\t");
        return new Description(fields[0], fields[1], Boolean.parseBoolean(fields[2]), Boolean.parseBoolean(fields[3]),
                Boolean.parseBoolean(fields[4]));
    }

}
