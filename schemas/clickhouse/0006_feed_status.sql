-- The history of polls: one row for each fact of hail.feed-poll.v1.
CREATE TABLE IF NOT EXISTS feed_status_v{version}
(
    feed            LowCardinality(String)         COMMENT 'Name of the feed as in health: storm_events, radar_hail ...',
    log_partition   UInt16                         COMMENT 'Partition of hail.feed-poll.v1 that holds the fact',
    revision        UInt64                         COMMENT 'Offset of the fact in that partition: the order of polls',
    publisher       LowCardinality(String)         COMMENT 'Publisher of the feed',
    mode            LowCardinality(String)         COMMENT 'live or backfill; only live polls are freshness',
    asked           String                         COMMENT 'The URL that was asked',
    began_at        DateTime64(3, 'UTC')           COMMENT 'When the question was sent',
    ended_at        DateTime64(3, 'UTC')           COMMENT 'When it was settled',
    outcome         LowCardinality(String)         COMMENT 'read, not_modified or failed',
    reason          LowCardinality(String)         COMMENT 'Stable reason of a failure; empty otherwise',
    detail          String                         COMMENT 'One sentence for a person; may be empty',
    read_through    Nullable(DateTime64(3, 'UTC')) COMMENT 'The instant through which the publisher has been read; null where the poll proves none',
    records         UInt64                         COMMENT 'Hail records in the slices read',
    published       UInt64                         COMMENT 'Records published because they were new or had changed',
    withdrawn       UInt64                         COMMENT 'Records withdrawn because a complete reading no longer had them',
    held            UInt64                         COMMENT 'Records left unpublished because an earlier message of theirs cannot be decoded',
    end_offsets     Array(Tuple(topic String, partition UInt16, end_offset UInt64)) COMMENT 'What must be queryable before read_through may be claimed'
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (feed, log_partition, revision)
COMMENT 'Every poll of every feed, how it ended and what it proves';
