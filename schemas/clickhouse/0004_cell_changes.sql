-- The intent of each batch, written before its rows: which cells it may change. Readers tell from it whether a batch that is under way
-- touches what they read. A batch without cells has a row too, so that intents cover every offset.
CREATE TABLE IF NOT EXISTS cell_changes_v{version}
(
    topic        LowCardinality(String) COMMENT 'Topic of the batch',
    partition    UInt16                 COMMENT 'Partition of the batch',
    first_offset UInt64                 COMMENT 'First offset of the batch',
    end_offset   UInt64                 COMMENT 'One past the last offset of the batch',
    cells        Array(UInt32)          COMMENT 'Cells in which the batch writes or deletes rows, ascending'
)
ENGINE = ReplacingMergeTree
ORDER BY (topic, partition, end_offset, first_offset)
COMMENT 'Cells that each batch of observations may change';
