-- One row decides which tables answer: readers learn a projection's serving version here and nowhere else.
CREATE TABLE IF NOT EXISTS projections
(
    `projection` LowCardinality(String) COMMENT 'Name of the projection: observations or feeds',
    version    UInt16                 COMMENT 'Version; it owns all its tables, named <table>_v<version>',
    state      LowCardinality(String) COMMENT 'building, serving, kept or removed; exactly one version of a projection serves',
    changed_at DateTime64(3, 'UTC')   COMMENT 'When the state was set; the newest row of a version counts'
)
ENGINE = ReplacingMergeTree(changed_at)
ORDER BY (projection, version)
COMMENT 'Versions of each projection and which of them answers';
