-- Tables of event-queue. Timestamps are UTC; ids are the 16 bytes of a UUID; names compare exactly.

-- An event between publish and finalization. event_type IS NULL: an action that raised nothing.
CREATE TABLE eventlog_events (
    id              BINARY(16) NOT NULL PRIMARY KEY,
    seq             BIGINT NOT NULL AUTO_INCREMENT UNIQUE,
    status          VARCHAR(16) NOT NULL,
    event_type      VARCHAR(255),
    payload         JSON,
    headers         JSON,
    event_key       VARCHAR(255),
    tags            VARCHAR(2000),
    title           VARCHAR(500),
    description     MEDIUMTEXT,
    namespace       VARCHAR(255) NOT NULL,
    action_id       BINARY(16) NOT NULL,
    action_name     VARCHAR(255) NOT NULL,
    action_params   JSON NOT NULL,
    started_date    DATETIME(6) NOT NULL,
    completion_date DATETIME(6) NOT NULL,
    model_id        VARCHAR(255),
    model_type      VARCHAR(255),
    event_date      DATETIME(6) NOT NULL,
    available_at    DATETIME(6) NOT NULL,
    attempts        INT NOT NULL DEFAULT 0,
    retry_count     INT NOT NULL DEFAULT 0,
    max_retries     INT NOT NULL DEFAULT 3,
    worker_id       VARCHAR(255),
    lease_until     DATETIME(6),
    -- while a node, not a worker, processes the whole event for its only handler
    handler_name    VARCHAR(255),
    created_at      DATETIME(6) NOT NULL,
    updated_at      DATETIME(6) NOT NULL,
    -- event_type of pending rows only ('' for a sentinel): what a partial index is on databases without them
    pending_type VARCHAR(255) GENERATED ALWAYS AS (CASE WHEN status = 'PENDING' THEN COALESCE(event_type, '') END) VIRTUAL,
    -- event_key of pending rows only
    pending_key VARCHAR(255) GENERATED ALWAYS AS (CASE WHEN status = 'PENDING' THEN event_key END) VIRTUAL,
    -- lease_until of rows held by workers only
    processing_until DATETIME(6) GENERATED ALWAYS AS (CASE WHEN status = 'PROCESSING' THEN lease_until END) VIRTUAL
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE INDEX eventlog_events_pending ON eventlog_events (pending_type, available_at, seq);
CREATE INDEX eventlog_events_pending_key ON eventlog_events (pending_key, seq);
CREATE INDEX eventlog_events_processing ON eventlog_events (processing_until);

-- Tags match exactly. available_at: when a worker may pull the event; null once it was fanned out or finalized.
CREATE TABLE eventlog_event_tags (
    event_id     BINARY(16) NOT NULL,
    tag          VARCHAR(100) NOT NULL,
    event_type   VARCHAR(255) NOT NULL,
    available_at DATETIME(6),
    PRIMARY KEY (event_id, tag)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE INDEX eventlog_event_tags_pull ON eventlog_event_tags (tag, event_type, available_at, event_id);
CREATE INDEX eventlog_event_tags_all ON eventlog_event_tags (tag, event_id);

-- Publishers of events with a key lock the slot of that key, so that sequence numbers follow the order of commits.
CREATE TABLE eventlog_event_key_locks (
    slot INT NOT NULL PRIMARY KEY
);

INSERT INTO eventlog_event_key_locks (slot)
    WITH RECURSIVE slots (slot) AS (SELECT 0 UNION ALL SELECT slot + 1 FROM slots WHERE slot < 999)
    SELECT slot FROM slots;

-- One delivery: event x handler. The event is copied, so that dispatch reads one row.
CREATE TABLE eventlog_event_notifications (
    id              BINARY(16) NOT NULL PRIMARY KEY,
    event_id        BINARY(16) NOT NULL,
    handler_name    VARCHAR(255) NOT NULL,
    namespace       VARCHAR(255) NOT NULL,
    action_id       BINARY(16) NOT NULL,
    action_name     VARCHAR(255) NOT NULL,
    action_params   JSON NOT NULL,
    started_date    DATETIME(6) NOT NULL,
    completion_date DATETIME(6) NOT NULL,
    model_id        VARCHAR(255),
    model_type      VARCHAR(255),
    event_type      VARCHAR(255) NOT NULL,
    payload         JSON,
    headers         JSON,
    event_key       VARCHAR(255),
    event_seq       BIGINT NOT NULL,
    event_date      DATETIME(6) NOT NULL,
    available_at    DATETIME(6) NOT NULL,
    state           VARCHAR(24) NOT NULL,
    attempts        INT NOT NULL DEFAULT 0,
    -- attempts when an operator replayed it last
    replayed_after  INT,
    priority        INT NOT NULL DEFAULT 0,
    -- handlers of a later priority wait for its attempt to end
    holds           BOOLEAN NOT NULL DEFAULT FALSE,
    -- the key, if its handler takes the events of one key in order
    lane            VARCHAR(255),
    -- when it may be claimed (again); while a claim lasts, the end of its lease
    next_retry_at   DATETIME(6) NOT NULL,
    owner           VARCHAR(255),
    lease_until     DATETIME(6),
    last_error      MEDIUMTEXT,
    created_date    DATETIME(6) NOT NULL,
    updated_date    DATETIME(6) NOT NULL,
    -- handler_name of open rows only
    open_handler VARCHAR(255) GENERATED ALWAYS AS (CASE WHEN state IN ('PENDING', 'FAILED') THEN handler_name END) VIRTUAL,
    -- available_at of open rows only
    open_since DATETIME(6) GENERATED ALWAYS AS (CASE WHEN state IN ('PENDING', 'FAILED', 'WAITING') THEN available_at END) VIRTUAL,
    -- lane of open rows only
    open_lane VARCHAR(255) GENERATED ALWAYS AS (CASE WHEN state IN ('PENDING', 'FAILED', 'WAITING') THEN lane END) VIRTUAL,
    -- state and updated_date of dead letters and of what became of them
    dead_state VARCHAR(24) GENERATED ALWAYS AS (CASE WHEN state IN ('DEAD', 'EXPIRED', 'DISCARDED') OR replayed_after IS NOT NULL THEN state END) VIRTUAL,
    dead_at DATETIME(6) GENERATED ALWAYS AS (CASE WHEN state IN ('DEAD', 'EXPIRED', 'DISCARDED') OR replayed_after IS NOT NULL THEN updated_date END) VIRTUAL,
    UNIQUE (event_id, handler_name)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE INDEX eventlog_event_notifications_due ON eventlog_event_notifications (open_handler, next_retry_at, id);
CREATE INDEX eventlog_event_notifications_open ON eventlog_event_notifications (state, open_since);
CREATE INDEX eventlog_event_notifications_lane ON eventlog_event_notifications (open_lane, event_seq);
CREATE INDEX eventlog_event_notifications_dead ON eventlog_event_notifications (dead_state, dead_at, id);

-- The subscriptions all nodes know. Fan-out joins this table.
CREATE TABLE eventlog_event_handlers (
    handler_name VARCHAR(255) NOT NULL,
    event_type   VARCHAR(255) NOT NULL,
    priority     INT NOT NULL,
    ordered      BOOLEAN NOT NULL DEFAULT FALSE,
    replaced_by  VARCHAR(255),
    paused       BOOLEAN NOT NULL,
    retired      BOOLEAN NOT NULL,
    last_seen    DATETIME(6) NOT NULL,
    PRIMARY KEY (handler_name, event_type)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE INDEX eventlog_event_handlers_type ON eventlog_event_handlers (event_type);

-- Append-only audit: failures of handlers, every action of workers, what operators did.
CREATE TABLE eventlog_event_attempts (
    id                BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    event_id          BINARY(16) NOT NULL,
    notification_id   BINARY(16),
    handler_name      VARCHAR(255),
    worker_id         VARCHAR(255),
    action            VARCHAR(16) NOT NULL,
    attempt           INT NOT NULL,
    status_code       INT,
    execution_time_ms BIGINT,
    error_class       VARCHAR(255),
    error_message     MEDIUMTEXT,
    error_stack       MEDIUMTEXT,
    trace_id          VARCHAR(64),
    retry_at          DATETIME(6),
    created_at        DATETIME(6) NOT NULL
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE INDEX eventlog_event_attempts_event ON eventlog_event_attempts (event_id, id);

-- Finalized events. position is handed out in commit order.
CREATE TABLE eventlog_event_log (
    id              BINARY(16) NOT NULL PRIMARY KEY,
    position        BIGINT NOT NULL UNIQUE,
    seq             BIGINT NOT NULL,
    status          VARCHAR(24) NOT NULL,
    event_type      VARCHAR(255),
    payload         JSON,
    headers         JSON,
    event_key       VARCHAR(255),
    tags            VARCHAR(2000),
    title           VARCHAR(500),
    description     MEDIUMTEXT,
    namespace       VARCHAR(255) NOT NULL,
    action_id       BINARY(16) NOT NULL,
    action_name     VARCHAR(255) NOT NULL,
    action_params   JSON NOT NULL,
    started_date    DATETIME(6) NOT NULL,
    completion_date DATETIME(6) NOT NULL,
    model_id        VARCHAR(255),
    model_type      VARCHAR(255),
    event_date      DATETIME(6) NOT NULL,
    available_at    DATETIME(6) NOT NULL,
    attempts        INT NOT NULL,
    retry_count     INT NOT NULL,
    max_retries     INT NOT NULL,
    worker_id       VARCHAR(255),
    errors          JSON,
    created_at      DATETIME(6) NOT NULL,
    finalized_at    DATETIME(6) NOT NULL
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row: the position handed out last, how far notifications of finalized events have been pruned, and how far the log.
CREATE TABLE eventlog_event_log_counter (
    id                  INT NOT NULL PRIMARY KEY,
    position            BIGINT NOT NULL,
    pruned_position     BIGINT NOT NULL,
    log_pruned_position BIGINT NOT NULL DEFAULT 0
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT INTO eventlog_event_log_counter (id, position, pruned_position) VALUES (1, 0, 0);

-- What handlers that are not idempotent have consumed.
CREATE TABLE eventlog_consumed_events (
    event_id     BINARY(16) NOT NULL,
    handler_name VARCHAR(255) NOT NULL,
    consumed_at  DATETIME(6) NOT NULL,
    PRIMARY KEY (event_id, handler_name)
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE INDEX eventlog_consumed_events_age ON eventlog_consumed_events (consumed_at);

-- How far each projection has read the log; missed: how many positions were pruned before it came to them.
CREATE TABLE eventlog_event_projections (
    name       VARCHAR(255) NOT NULL PRIMARY KEY,
    position   BIGINT NOT NULL,
    missed     BIGINT NOT NULL,
    updated_at DATETIME(6) NOT NULL
) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
