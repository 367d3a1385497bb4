-- The newest state of every API key, one row a key; for operators and analysts, the API itself reads the topic. Not even a key's hash is here.
-- A key is live while revoked_at is null and expires_at is null or still to come. Read with FINAL.
CREATE TABLE IF NOT EXISTS api_keys_v{version}
(
    key_id        String                         COMMENT 'The public part of the key: 8 hexadecimal characters',
    partner       String                         COMMENT 'Whom the key was made for',
    per_minute    UInt32                         COMMENT 'Requests that count, at most, in a window of 60 seconds from the first one',
    per_day       UInt32                         COMMENT 'Requests that count, at most, in a UTC day',
    created_at    DateTime64(3, 'UTC')           COMMENT 'When the key was made',
    revoked_at    Nullable(DateTime64(3, 'UTC')) COMMENT 'When it was revoked, for good; null while it is not',
    expires_at    Nullable(DateTime64(3, 'UTC')) COMMENT 'From when it opens nothing: the end of a rotation''s grace time; null where there is none',
    replaced_by   String                         COMMENT 'The key that took its place in a rotation; empty where there is none',
    log_partition UInt16                         COMMENT 'Partition of hail.api-key.v1 that holds the fact',
    revision      UInt64                         COMMENT 'Offset of the fact in that partition; the highest of a key counts'
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY key_id
COMMENT 'API keys by their public id: partner, limits, and whether they are live'
