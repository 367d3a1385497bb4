CREATE OR REPLACE VIEW feed_status
(
    feed         LowCardinality(String)         COMMENT 'Name of the feed as in health: storm_events, radar_hail ...',
    publisher    LowCardinality(String)         COMMENT 'Publisher of the feed',
    mode         LowCardinality(String)         COMMENT 'live or backfill; only live polls are freshness',
    asked        String                         COMMENT 'The URL that was asked',
    began_at     DateTime64(3, 'UTC')           COMMENT 'When the question was sent',
    ended_at     DateTime64(3, 'UTC')           COMMENT 'When it was settled',
    outcome      LowCardinality(String)         COMMENT 'read, not_modified or failed',
    reason       LowCardinality(String)         COMMENT 'Stable reason of a failure; empty otherwise',
    detail       String                         COMMENT 'One sentence for a person; may be empty',
    read_through Nullable(DateTime64(3, 'UTC')) COMMENT 'The instant through which the publisher has been read; null where the poll proves none',
    queryable    Bool                           COMMENT 'True where everything that the poll and those before it published can be queried; only then does read_through count',
    records      UInt64                         COMMENT 'Hail records in the slices read',
    published    UInt64                         COMMENT 'Records published because they were new or had changed',
    withdrawn    UInt64                         COMMENT 'Records withdrawn because a complete reading no longer had them',
    held         UInt64                         COMMENT 'Records left unpublished because an earlier message of theirs cannot be decoded'
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
    ) AS reached
SELECT
    feed,
    publisher,
    mode,
    asked,
    began_at,
    ended_at,
    outcome,
    reason,
    detail,
    read_through,
    toBool(NOT arrayExists(stands -> stands.end_offset > reached[concat(stands.topic, '/', toString(stands.partition))], end_offsets)) AS queryable,
    records,
    published,
    withdrawn,
    held
FROM feed_status_v{feeds} FINAL
COMMENT 'Every poll of every feed, how it ended and what it proves. Reads feed_status_v{feeds} beside observations_v{observations} and alerts_v{alerts}'
