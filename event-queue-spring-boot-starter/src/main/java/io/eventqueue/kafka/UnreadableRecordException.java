package io.eventqueue.kafka;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.listener.BatchListenerFailedException;

/**
 * A record cannot become an event. The container takes it as "all before this one are
 * done".
 */
final class UnreadableRecordException extends BatchListenerFailedException {

    private static final long serialVersionUID = 1L;

    private final String reason;

    UnreadableRecordException(ConsumerRecord<?, ?> record, String reason) {
        super(reason, record);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }

}
