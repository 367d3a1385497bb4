-- The newest reading of each slice whose records can be queried, by the rule of the API (services/store/coverage/query.ts): a slice just
-- read, whose records are still on their way, does not count yet.
CREATE OR REPLACE VIEW coverage
(
    publisher         LowCardinality(String) COMMENT 'Publisher of the feed',
    feed              LowCardinality(String) COMMENT 'Name of the feed as in health: storm_events, radar_hail ...',
    slice             String                 COMMENT 'The slice: a data year, a day and a box, a granule; of a granule the product stands before the slash',
    covers_from       DateTime64(3, 'UTC')   COMMENT 'Start of the period that the slice speaks for',
    covers_until      DateTime64(3, 'UTC')   COMMENT 'End of that period, exclusive',
    west              Nullable(Float64)      COMMENT 'Western edge of the region in degrees; null is everywhere the publisher covers',
    south             Nullable(Float64)      COMMENT 'Southern edge in degrees; null as in west',
    east              Nullable(Float64)      COMMENT 'Eastern edge in degrees; null as in west',
    north             Nullable(Float64)      COMMENT 'Northern edge in degrees; null as in west',
    records           UInt64                 COMMENT 'Hail records in the slice; a grid is one record, with hail or without',
    publisher_version LowCardinality(String) COMMENT 'The publisher''s version of what was read; empty where it has none',
    read_at           DateTime64(3, 'UTC')   COMMENT 'When it was read'
)
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS WITH
    (
        SELECT CAST((groupArray(concat(topic, '/', toString(partition))), groupArray(next)), 'Map(String, UInt64)')
        FROM
        (
            SELECT topic, partition, max(next_offset) AS next FROM projector_positions
            WHERE (projection = 'observations' AND version = {observations}) OR (projection = 'alerts' AND version = {alerts})
            GROUP BY topic, partition
        )
    ) AS reached,
    (
        SELECT CAST((groupArray(feed), groupArray(first)), 'Map(String, UInt64)')
        FROM
        (
            SELECT feed, min(revision) AS first FROM feed_status_v{feeds} FINAL
            WHERE arrayExists(stands -> stands.end_offset > reached[concat(stands.topic, '/', toString(stands.partition))], end_offsets)
            GROUP BY feed
        )
    ) AS ahead
SELECT
    publisher,
    feed,
    slice,
    covers_from,
    covers_until,
    west,
    south,
    east,
    north,
    records,
    publisher_version,
    read_at
FROM coverage_v{feeds} FINAL
WHERE (NOT mapContains(ahead, feed) OR revision < ahead[feed])
  AND (publisher != 'MRMS_MESH' OR startsWith(slice, '{mrms_product}/'))
ORDER BY feed, slice, revision DESC
LIMIT 1 BY feed, slice
COMMENT 'What has been read completely, one row for each slice: its newest reading. No row is not read, which is not the same as no hail. Reads coverage_v{feeds} beside observations_v{observations} and alerts_v{alerts}, and the product {mrms_product}'
