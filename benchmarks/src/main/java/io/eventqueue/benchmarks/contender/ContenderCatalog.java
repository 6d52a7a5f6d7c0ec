package io.eventqueue.benchmarks.contender;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All contenders by the name used on the command line, in the order of the report. Add
 * one here and it takes part.
 */
public final class ContenderCatalog {

    private static final Map<String, Contender.Factory> FACTORIES = new LinkedHashMap<>();

    static {
        FACTORIES.put("event-queue", EventQueueContender::new);
        FACTORIES.put("jdbc-insert", setup -> new JdbcInsertContender(setup, new EventsTableRow()));
        FACTORIES.put("jdbc-queue", JdbcQueueContender::new);
        FACTORIES.put("jdbc-fanout", JdbcFanoutContender::new);
        FACTORIES.put("db-scheduler", DbSchedulerContender::new);
        FACTORIES.put("transaction-outbox", TransactionOutboxContender::new);
        FACTORIES.put("jobrunr", JobRunrContender::new);
        FACTORIES.put("namastack", NamastackContender::new);
        FACTORIES.put("modulith", ModulithContender::new);
    }

    private ContenderCatalog() {
    }

    public static List<String> names() {
        return List.copyOf(FACTORIES.keySet());
    }

    public static Contender open(String name, Setup setup) throws Exception {
        Contender.Factory factory = FACTORIES.get(name);
        if (factory == null) {
            throw new IllegalArgumentException("no contender '" + name + "'; there are " + names());
        }
        return factory.open(setup);
    }

}
