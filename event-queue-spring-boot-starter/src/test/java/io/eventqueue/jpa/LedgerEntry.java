package io.eventqueue.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Its id comes from Hibernate, so the row is written only when the transaction ends. */
@Entity
class LedgerEntry {

    @Id
    @GeneratedValue(strategy = GenerationType.UUID)
    private @Nullable UUID id;

    @Column(unique = true)
    private int invoice;

    protected LedgerEntry() {
    }

    LedgerEntry(int invoice) {
        this.invoice = invoice;
    }

}
