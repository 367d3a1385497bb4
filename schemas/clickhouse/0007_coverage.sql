-- Which part of which publisher's holdings has been read. No row means not read, which is not the same as no hail. Earlier readings stay,
-- because the newest may be of records that cannot be queried yet, and until they can the one before speaks for the slice.
CREATE TABLE IF NOT EXISTS coverage_v{version}
(
    feed              LowCardinality(String) COMMENT 'Name of the feed as in health',
    slice             String                 COMMENT 'The slice: a data year, or a day and a box',
    publisher         LowCardinality(String) COMMENT 'Publisher of the feed',
    covers_from       DateTime64(3, 'UTC')   COMMENT 'Start of the period that the slice speaks for',
    covers_until      DateTime64(3, 'UTC')   COMMENT 'End of that period, exclusive',
    west              Nullable(Float64)      COMMENT 'Western edge of the region in degrees; null is everywhere the publisher covers',
    south             Nullable(Float64)      COMMENT 'Southern edge',
    east              Nullable(Float64)      COMMENT 'Eastern edge',
    north             Nullable(Float64)      COMMENT 'Northern edge',
    records           UInt64                 COMMENT 'Hail records in the slice at this reading',
    publisher_version LowCardinality(String) COMMENT 'The publisher''s version of what was read; empty where it has none',
    read_at           DateTime64(3, 'UTC')   COMMENT 'When it was read',
    revision          UInt64                 COMMENT 'Offset of the poll fact: the order of readings'
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (feed, slice, revision)
COMMENT 'Complete readings of each feed''s slices; the newest of a slice counts';
