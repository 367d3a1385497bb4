-- One row for each thing said about a message that is no valid fact: that it is dead, that it is to be tried again, what became of it. What is
-- true of the message now is the view `dead_letters`. The bytes of the message stay in the log: `npm run dead-letters -- show <place>`.
CREATE TABLE IF NOT EXISTS dead_letters_v{version}
(
    topic         LowCardinality(String) COMMENT 'Topic of the message that is no valid fact',
    log_partition UInt16                 COMMENT 'Partition of that topic that holds the message',
    log_offset    UInt64                 COMMENT 'Offset of the message in that partition',
    revision      UInt64                 COMMENT 'Offset of this letter in hail.dead-letter.v1: the order in which things were said',
    state         LowCardinality(String) COMMENT 'dead, retry, settled or dropped, as this letter says; settled and dropped are final',
    message_key   String                 COMMENT 'Key of the message; empty where the topic is of API keys or of requests',
    reason        LowCardinality(String) COMMENT 'Stable reason why it is dead, or by what it was settled',
    error         String                 COMMENT 'The same for a person; empty where the topic is of API keys or of requests',
    said_by       LowCardinality(String) COMMENT 'Who says so: a projection and its version, a feed, or the command',
    said_at       DateTime64(3, 'UTC')   COMMENT 'When it was said',
    message_bytes Nullable(UInt32)       COMMENT 'Size of the message that the letter carries; null in letters that only say what became of it'
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (topic, log_partition, log_offset, revision)
COMMENT 'What was said of messages that are no valid facts, letter by letter'
