-- Where every version of a projection must stand still for a while, so that two can be compared at one position. Written by a rebuild and
-- beaten as long as it lives: the projector waits at a hold until it is lifted or its beat has stopped.
CREATE TABLE IF NOT EXISTS projection_holds
(
    `projection` LowCardinality(String) COMMENT 'Name of the projection; all its versions are held',
    topic      LowCardinality(String) COMMENT 'Topic of the log',
    partition  UInt16                 COMMENT 'Partition of the topic',
    hold_at    UInt64                 COMMENT 'Nothing at or beyond this offset is stored; a version that has passed it is not held',
    beat       UInt64                 COMMENT 'Grows while the holder lives; the greatest row of a partition counts',
    lifted     UInt8                  COMMENT '1 once the hold is over'
)
ENGINE = ReplacingMergeTree(beat)
ORDER BY (projection, topic, partition)
COMMENT 'Offsets at which the versions of a projection are held for a comparison';
