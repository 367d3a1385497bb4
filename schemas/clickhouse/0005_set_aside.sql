-- Records that no answer may use, kept and counted with the reason. At most one live row for each record.
CREATE TABLE IF NOT EXISTS set_aside_v{version}
(
    publisher       LowCardinality(String)           COMMENT 'Publisher of the record',
    record_key      String                           COMMENT 'Identity of the record at its publisher',
    record_id       String                           COMMENT 'Identifier for citing',
    reason          LowCardinality(String)           COMMENT 'no_time, no_place or no_size: the first that holds',
    occurred_at     Nullable(DateTime64(3, 'UTC'))   COMMENT 'Start of the span where known',
    lat             Nullable(Int32)                  COMMENT 'Latitude where known, millionths of a degree north',
    lon             Nullable(Int32)                  COMMENT 'Longitude where known, millionths of a degree east',
    size_in         Nullable(Float64)                COMMENT 'Size where known, inches, rounded half up to two decimals',
    time_zone       LowCardinality(String)           COMMENT 'The publisher''s time-zone label; empty where it gives none',
    document_url    LowCardinality(String)           COMMENT 'URL of the document the record was read from',
    document_sha256 LowCardinality(String)           COMMENT 'SHA-256 of that document''s bytes',
    log_partition   UInt16                           COMMENT 'Partition of hail.observation.v1 that holds the fact',
    revision        UInt64                           COMMENT 'Offset of the fact in that partition',
    is_deleted      UInt8                            COMMENT '1 where the record is no longer set aside'
)
ENGINE = ReplacingMergeTree(revision, is_deleted)
ORDER BY (publisher, record_key)
COMMENT 'Records that are stored and counted but take part in no answer, and why';
