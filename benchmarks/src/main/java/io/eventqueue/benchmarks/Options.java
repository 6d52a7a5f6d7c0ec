package io.eventqueue.benchmarks;

import io.eventqueue.benchmarks.contender.ContenderCatalog;
import io.eventqueue.benchmarks.report.Ratio;
import io.eventqueue.benchmarks.trial.Phase;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The command line. */
final class Options {

    static final String USAGE = """
            benchmarks/run [options]
              --quick               only what the ratios need, with fewer rounds; under four minutes
              --contenders a,b      of: %s
              --phases a,b          of: %s
              --repeats N           measured rounds after the warm-up (3)
              --events N            events of the publish and drain phases (20000; fan-out half of it)
              --long-events N       events of the long backlog (200000)
              --latency-seconds N   length of the trickle at 50 events/s (20)
              --subject NAME        whose ratios are printed (event-queue)
              --docs DIRECTORY      also write benchmarks.svg and benchmarks.md there
            """.formatted(String.join(", ", ContenderCatalog.names()), String.join(", ", Phase.arguments()));

    private static final int LATENCY_RATE = 50;

    private static final int SUBSCRIBES = 200;

    private boolean quick;

    private List<String> contenders = ContenderCatalog.names();

    private List<Phase> phases = List.of(Phase.values());

    private int repeats = 3;

    private int events = 20_000;

    private int longEvents = 200_000;

    private int latencySeconds = 20;

    private String subject = "event-queue";

    private @Nullable Path docs;

    private Options() {
    }

    static Options parse(String[] arguments) {
        Options options = new Options();
        Deque<String> words = new ArrayDeque<>(Arrays.asList(arguments));
        if (words.contains("--quick")) { // first, so that other options can change what
                                         // it sets
            options.quick = true;
            options.repeats = 3;
            options.latencySeconds = 6;
        }
        while (!words.isEmpty()) {
            options.take(words.pop(), words);
        }
        return options;
    }

    private void take(String option, Deque<String> words) {
        switch (option) {
            case "--quick" -> {
            }
            case "--contenders" -> contenders = known(list(words));
            case "--phases" -> phases = list(words).stream().map(Phase::of).toList();
            case "--repeats" -> repeats = Integer.parseInt(words.pop());
            case "--events" -> events = Integer.parseInt(words.pop());
            case "--long-events" -> longEvents = Integer.parseInt(words.pop());
            case "--latency-seconds" -> latencySeconds = Integer.parseInt(words.pop());
            case "--subject" -> subject = words.pop();
            case "--docs" -> docs = Path.of(words.pop());
            default -> throw new IllegalArgumentException("unknown option " + option);
        }
    }

    private static List<String> list(Deque<String> words) {
        return List.of(words.pop().split(","));
    }

    private static List<String> known(List<String> names) {
        for (String name : names) {
            if (!ContenderCatalog.names().contains(name)) {
                throw new IllegalArgumentException("no contender '" + name + "'");
            }
        }
        return names;
    }

    List<String> contenders() {
        return contenders;
    }

    List<Phase> phases() {
        return phases;
    }

    /** Whether this contender is to be measured in this phase. */
    boolean wants(String contender, Phase phase) {
        return contenders.contains(contender) && phases.contains(phase)
                && (!quick || Ratio.needs(subject, contender, phase));
    }

    int repeats() {
        return repeats;
    }

    int events(Phase phase) {
        return switch (phase) {
            case PUBLISH_ONE, PUBLISH_HUNDRED, DRAIN, DRAIN_HELD -> events;
            case DRAIN_LONG -> longEvents;
            case DRAIN_FANOUT -> events / 2;
            case LATENCY, LATENCY_TWO_JVMS -> LATENCY_RATE * latencySeconds;
            case SUBSCRIBE, SUBSCRIBE_FOREIGN -> SUBSCRIBES;
        };
    }

    /** Events of one warm-up. */
    int warmUpEvents(Phase phase) {
        return switch (phase) {
            case LATENCY, LATENCY_TWO_JVMS, SUBSCRIBE, SUBSCRIBE_FOREIGN -> Math.min(100, events(phase));
            default -> events(phase);
        };
    }

    String subject() {
        return subject;
    }

    @Nullable Path docs() {
        return docs;
    }

}
