-- The first letter opens, and what settles or drops a message is final: whatever was said later, by somebody who did not know yet, counts for
-- nothing. The command `npm run dead-letters` reads the log and says the same.
CREATE OR REPLACE VIEW dead_letters
(
    topic         LowCardinality(String) COMMENT 'Topic of the message that is no valid fact',
    log_partition UInt16                 COMMENT 'Partition of that topic that holds the message',
    log_offset    UInt64                 COMMENT 'Offset of the message in that partition; it is never projected again, by any version',
    state         LowCardinality(String) COMMENT 'dead; retry: its feed has been asked; settled: published anew or overtaken; dropped: nobody waits for it',
    reason        LowCardinality(String) COMMENT 'Stable reason why it is no valid fact, as it was judged last',
    error         String                 COMMENT 'The same for a person; empty where the topic is of API keys or of requests',
    judged_by     LowCardinality(String) COMMENT 'Who judged it last: a projection and its version, or a feed',
    settled_as    LowCardinality(String) COMMENT 'What settled it: published-anew or overtaken; empty where nothing did',
    message_key   String                 COMMENT 'Key of the message; empty where the topic is of API keys or of requests',
    failed_at     DateTime64(3, 'UTC')   COMMENT 'When it was first found dead',
    changed_at    DateTime64(3, 'UTC')   COMMENT 'When its state was last said',
    retries       UInt64                 COMMENT 'How often its feed has been asked to publish the record anew',
    message_bytes Nullable(UInt32)       COMMENT 'Size of the message, bytes; null where it was a deletion'
)
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS SELECT
    topic,
    log_partition,
    log_offset,
    argMax(letters.state, revision) AS state,
    argMax(letters.reason, judged) AS reason,
    argMax(letters.error, judged) AS error,
    argMax(said_by, judged) AS judged_by,
    argMaxIf(letters.reason, revision, letters.state = 'settled') AS settled_as,
    argMin(letters.message_key, revision) AS message_key,
    argMin(said_at, revision) AS failed_at,
    argMax(said_at, revision) AS changed_at,
    countIf(letters.state = 'retry') AS retries,
    max(letters.message_bytes) AS message_bytes
FROM
(
    SELECT
        *,
        -- Of the letters that say it is dead the newest; where none does, because it cannot be read, the first.
        if(dead_letters_v{dead_letters}.state = 'dead', toInt64(revision) + 1, -toInt64(revision)) AS judged,
        minIf(revision, dead_letters_v{dead_letters}.state IN ('settled', 'dropped')) OVER place AS closed,
        countIf(dead_letters_v{dead_letters}.state IN ('settled', 'dropped')) OVER place AS closings
    FROM dead_letters_v{dead_letters} FINAL
    WINDOW place AS (PARTITION BY topic, log_partition, log_offset)
) AS letters
WHERE closings = 0 OR revision <= closed
GROUP BY topic, log_partition, log_offset
COMMENT 'Messages of the log that are no valid facts, and what became of them, one row a message. Reads dead_letters_v{dead_letters}'
