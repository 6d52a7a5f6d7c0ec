package io.eventqueue.jpa;

import java.util.UUID;
import org.springframework.data.jpa.repository.JpaRepository;

interface LedgerEntries extends JpaRepository<LedgerEntry, UUID> {

}
