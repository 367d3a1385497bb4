-- Preliminary reports of the Storm Prediction Center. No answer cites them: Storm Events issue them again, verified, months later.
CREATE TABLE IF NOT EXISTS storm_reports_v{version}
(
    record_key        String                       COMMENT 'Content of the report: day, time, size, place; the publisher gives none',
    record_id         String                       COMMENT 'The same',
    occurred_at       Nullable(DateTime64(3, 'UTC')) COMMENT 'When it was reported to have fallen',
    lat               Nullable(Int32)              COMMENT 'Latitude, millionths of a degree north',
    lon               Nullable(Int32)              COMMENT 'Longitude, millionths of a degree east',
    size_in           Nullable(Float64)            COMMENT 'Diameter in inches, rounded half up to two decimals; null is unknown',
    slice             LowCardinality(String)       COMMENT 'Convective day of the file, 12Z to 12Z, by its start',
    reporter          LowCardinality(String)       COMMENT 'Weather office of the report; empty where not said',
    document_url      LowCardinality(String)       COMMENT 'URL of the document the report was read from',
    document_sha256   LowCardinality(String)       COMMENT 'SHA-256 of that document''s bytes',
    retrieved_at      DateTime64(3, 'UTC')         COMMENT 'When the document was read',
    log_partition     UInt16                       COMMENT 'Partition of hail.observation.v1 that holds the fact',
    revision          UInt64                       COMMENT 'Offset of the fact in that partition',
    is_deleted        UInt8                        COMMENT '1 where the report was taken back'
)
ENGINE = ReplacingMergeTree(revision, is_deleted)
ORDER BY record_key
COMMENT 'Preliminary local storm reports of hail; never part of an answer';
