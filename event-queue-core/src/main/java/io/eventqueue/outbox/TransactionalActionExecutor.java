package io.eventqueue.outbox;

import io.eventqueue.Action;
import io.eventqueue.ActionContext;
import io.eventqueue.ActionExecutor;
import io.eventqueue.EventQueueException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs actions in a transaction of their shard and publishes what they raise. Of several
 * shards, the action's is the one whose transaction the caller is in.
 */
public final class TransactionalActionExecutor implements ActionExecutor {

    private final TransactionalEventQueue queue;

    public TransactionalActionExecutor(TransactionalEventQueue queue) {
        this.queue = queue;
    }

    @Override
    public <T extends @Nullable Object> T execute(String name, Object parameters, Action<T> action) {
        return new TransactionTemplate(queue.currentShard().transactionManager()).execute(status -> {
            Instant started = Instant.now();
            List<Object> raised = new ArrayList<>();
            T result;
            try {
                result = action.run(raised::add);
            }
            catch (RuntimeException | Error e) {
                throw e;
            }
            catch (Exception e) {
                throw new EventQueueException("Action '" + name + "' failed and was rolled back: " + e.getMessage(), e);
            }
            ActionContext context = queue.factory().action(name, parameters, started);
            if (raised.isEmpty()) {
                queue.publishSentinel(context);
            }
            else {
                queue.publishAll(raised, context);
            }
            return result;
        });
    }

}
