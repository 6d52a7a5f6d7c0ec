package io.eventqueue.benchmarks;

import io.eventqueue.benchmarks.measure.Measurement;
import io.eventqueue.benchmarks.process.ContenderFailure;
import io.eventqueue.benchmarks.process.ContenderProcess;
import io.eventqueue.benchmarks.process.EmbeddedServer;
import io.eventqueue.benchmarks.process.TwoJvmLatency;
import io.eventqueue.benchmarks.report.Results;
import io.eventqueue.benchmarks.trial.Phase;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Latency across two JVMs of one contender: the first creates the tables and handles, the
 * second publishes.
 */
record TwoJvmSession(Options options, EmbeddedServer server, Path logs, Results results) {

    private static final Phase PHASE = Phase.LATENCY_TWO_JVMS;

    void run(String contender) throws IOException, InterruptedException {
        String jdbcUrl = server.createDatabase(contender);
        try (ContenderProcess worker = ContenderProcess.start(contender, jdbcUrl, 1, true, logs)) {
            if (!worker.description().supports(PHASE)) {
                return;
            }
            results.describe(contender, worker.description());
            try (ContenderProcess publisher = ContenderProcess.start(contender, jdbcUrl, 1, false, logs)) {
                TwoJvmLatency latency = new TwoJvmLatency(publisher, worker);
                latency.run(options.warmUpEvents(PHASE));
                for (int round = 1; round <= options.repeats(); round++) {
                    Measurement measured = latency.run(options.events(PHASE));
                    results.add(contender, PHASE, round, measured);
                    System.out.printf("%-18s %-18s round %d: %s%n", PHASE.argument(), contender, round,
                            Session.text(PHASE, measured));
                }
            }
        }
        catch (ContenderFailure ex) {
            results.fail(String.valueOf(ex.getMessage()));
            System.out.println("FAILED: " + ex.getMessage());
        }
        finally {
            server.dropDatabase(contender);
        }
    }

}
