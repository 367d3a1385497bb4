-- Where each projection stands in the log. Written last in a batch; a projection resumes from here, never from a group's commit.
CREATE TABLE IF NOT EXISTS projector_positions
(
    `projection`  LowCardinality(String) COMMENT 'Name of the projection',
    version     UInt16                 COMMENT 'Version of the projection',
    topic       LowCardinality(String) COMMENT 'Topic of the log',
    partition   UInt16                 COMMENT 'Partition of the topic',
    log_id      String                 COMMENT 'Identity of the log that was read; another log has other offsets',
    next_offset UInt64                 COMMENT 'Everything before this offset is in the tables; the greatest row counts, positions never go back',
    stored_at   DateTime64(3, 'UTC')   COMMENT 'When the position was written'
)
ENGINE = ReplacingMergeTree(next_offset)
ORDER BY (projection, version, topic, partition, log_id)
COMMENT 'How far each projection has read each partition of the log';
