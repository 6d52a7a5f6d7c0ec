package io.eventqueue.kafka;

import io.eventqueue.EventConsumer;
import io.eventqueue.IncomingEvent;
import io.eventqueue.InvalidIncomingEventException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.BatchMessageListener;

/**
 * Hands what one poll brought to the {@link EventConsumer}, in one transaction. A return
 * means that all of it is committed, so that the container may commit the offsets. If one
 * record is unreadable, those before it are written and the container is told which it
 * is. After any other failure it is told that none is done.
 */
final class KafkaEventListener implements BatchMessageListener<byte[], byte[]> {

    private final RecordReader reader;

    private final EventConsumer consumer;

    KafkaEventListener(RecordReader reader, EventConsumer consumer) {
        this.reader = reader;
        this.consumer = consumer;
    }

    @Override
    public void onMessage(List<ConsumerRecord<byte[], byte[]>> records) {
        List<IncomingEvent> events = new ArrayList<>(records.size());
        List<ConsumerRecord<byte[], byte[]>> sources = new ArrayList<>(records.size());
        @Nullable UnreadableRecordException unreadable = null;
        for (int i = 0; i < records.size() && unreadable == null; i++) {
            try {
                IncomingEvent event = reader.read(records.get(i));
                if (event != null) {
                    events.add(event);
                    sources.add(records.get(i));
                }
            }
            catch (UnreadableRecordException e) {
                unreadable = e;
            }
        }
        try {
            write(events, sources);
        }
        catch (BatchListenerFailedException e) {
            throw e;
        }
        catch (RuntimeException e) {
            throw new BatchListenerFailedException("The events could not be written", e, records.getFirst());
        }
        if (unreadable != null) {
            throw unreadable;
        }
    }

    private void write(List<IncomingEvent> events, List<ConsumerRecord<byte[], byte[]>> sources) {
        try {
            consumer.consume(events);
        }
        catch (InvalidIncomingEventException e) {
            consumer.consume(events.subList(0, e.index()));
            throw new UnreadableRecordException(sources.get(e.index()),
                    String.valueOf(e.getCause() == null ? e.getMessage() : e.getCause().getMessage()));
        }
    }

}
