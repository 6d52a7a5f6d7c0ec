package io.eventqueue.benchmarks.contender;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * The worker of the hand-written baselines.
 *
 * <ol>
 * <li>Claim a batch in one statement that returns id and payload.
 * <li>Call the handler for each row.
 * <li>Mark the batch done in one statement, fenced by the owner.
 * </ol>
 *
 * @param claimSql takes owner and batch size, returns id and payload
 * @param doneSql takes the array of ids and the owner
 */
record ClaimWorker(DataSource dataSource, String claimSql, String doneSql, String owner, int batch,
        Consumer<String> handler) implements WorkerThreads.Worker {

    @Override
    public void run(WorkerThreads threads) throws Exception {
        try (Connection connection = IndexScanSession.open(dataSource);
                PreparedStatement claim = connection.prepareStatement(claimSql);
                PreparedStatement done = connection.prepareStatement(doneSql)) {
            claim.setString(1, owner);
            claim.setInt(2, batch);
            done.setString(2, owner);
            threads.repeat(() -> {
                List<Long> ids = new ArrayList<>(batch);
                try (ResultSet claimed = claim.executeQuery()) {
                    while (claimed.next()) {
                        ids.add(claimed.getLong(1));
                        handler.accept(claimed.getString(2));
                    }
                }
                if (ids.isEmpty()) {
                    return false;
                }
                done.setArray(1, connection.createArrayOf("bigint", ids.toArray()));
                done.executeUpdate();
                return true;
            });
        }
    }
}
