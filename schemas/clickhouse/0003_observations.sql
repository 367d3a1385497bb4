-- Citable hail: a place, a time and a size. One row for each standing of a record; the highest revision of a sort key counts.
-- Not partitioned, so that a batch is one block and is seen whole or not at all. Compact parts and small granules: measured best for
-- reading a few cells of a large table.
CREATE TABLE IF NOT EXISTS observations_v{version}
(
    cell              UInt32                 COMMENT 'geohash-5 cell as its 25 bits',
    occurred_at       DateTime64(3, 'UTC')   COMMENT 'Start of the span of the hail, UTC',
    publisher         LowCardinality(String) COMMENT 'NOAA_SED, NEXRAD_SWDI, MRMS_MESH or COCORAHS',
    record_key        String                 COMMENT 'Identity of the record at its publisher',
    lat               Int32                  COMMENT 'Latitude, millionths of a degree north',
    lon               Int32                  COMMENT 'Longitude, millionths of a degree east',
    ended_at          DateTime64(3, 'UTC')   COMMENT 'End of the span; equal to occurred_at for an instant',
    size_in           Float64                COMMENT 'Diameter of the largest stone in inches, as published, rounded half up to two decimals',
    record_id         String                 COMMENT 'Identifier for citing, as the publisher writes it',
    status            LowCardinality(String) COMMENT 'preliminary or final',
    sevprob           Nullable(UInt8)        COMMENT 'Probability of severe hail in percent, radar only',
    prob              Nullable(UInt8)        COMMENT 'Probability of hail in percent, radar only',
    reporter          LowCardinality(String) COMMENT 'Who saw it, in the publisher''s words; empty where not said',
    document_url      LowCardinality(String) COMMENT 'URL of the document the record was read from',
    document_sha256   LowCardinality(String) COMMENT 'SHA-256 of that document''s bytes',
    publisher_version LowCardinality(String) COMMENT 'The publisher''s version of the record or its document; empty where it has none',
    retrieved_at      DateTime64(3, 'UTC')   COMMENT 'When the document was read',
    log_partition     UInt16                 COMMENT 'Partition of hail.observation.v1 that holds the fact',
    revision          UInt64                 COMMENT 'Offset of the fact in that partition; the highest of a sort key counts',
    is_deleted        UInt8                  COMMENT '1 where the record stood once and stands no more'
)
ENGINE = ReplacingMergeTree(revision, is_deleted)
PRIMARY KEY cell
ORDER BY (cell, occurred_at, publisher, record_key, lat, lon)
SETTINGS index_granularity = 512, min_bytes_for_wide_part = 1000000000000, min_rows_for_wide_part = 1000000000000
COMMENT 'Observations of hail that answers may cite, by geohash cell; read with FINAL';
