-- As services/hail/citation.ts writes sources in answers, which a test holds against it.
CREATE OR REPLACE VIEW citations
(
    publisher         LowCardinality(String) COMMENT 'NOAA_SED, NEXRAD_SWDI, MRMS_MESH or COCORAHS',
    record_id         String                 COMMENT 'Identifier for citing, as the publisher writes it; need not be unique',
    record_key        String                 COMMENT 'Identity of the record at its publisher: one row each',
    url               String                 COMMENT 'Where the publisher shows the record, as in answers; empty for COCORAHS, which has no such page',
    occurred_at       DateTime64(3, 'UTC')   COMMENT 'Start of the span of the hail, UTC',
    max_size_in       Float64                COMMENT 'Its size in inches; of a granule the largest of its cells',
    cells             UInt64                 COMMENT 'Of a granule: how many cells of half an inch and more; 1 for the others',
    document_url      LowCardinality(String) COMMENT 'URL of the document the record was read from',
    document_sha256   LowCardinality(String) COMMENT 'SHA-256 of that document''s bytes; npm run document -- <sha256> gives them back',
    publisher_version LowCardinality(String) COMMENT 'The publisher''s version of the record or its document; empty where it has none',
    retrieved_at      DateTime64(3, 'UTC')   COMMENT 'When the document was read'
)
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS WITH
    formatDateTime(toStartOfMinute(occurred_at), '%Y%m%d%H%i') AS minute,
    formatDateTime(toStartOfMinute(occurred_at) + INTERVAL 1 MINUTE, '%Y%m%d%H%i') AS next_minute,
    splitByChar('/', record_id) AS parts,
    concat(parts[1], '_00.50') AS grid,
    splitByChar('T', replaceRegexpAll(parts[2], '[-:Z]', '')) AS stamp
SELECT
    publisher,
    record_id,
    record_key,
    multiIf(
        publisher = 'NOAA_SED',
        concat('https://www.ncei.noaa.gov/access/storm-events-database/event-details/', encodeURLComponent(record_id)),
        publisher = 'NEXRAD_SWDI',
        concat('https://www.ncei.noaa.gov/swdiws/csv/nx3hail/', minute, ':', next_minute, '?bbox=',
            printf('%.3f,%.3f,%.3f,%.3f', lon - 0.01, lat - 0.01, lon + 0.01, lat + 0.01)),
        publisher = 'MRMS_MESH',
        concat('https://noaa-mrms-pds.s3.amazonaws.com/CONUS/', grid, '/', stamp[1], '/MRMS_', grid, '_', stamp[1], '-', stamp[2], '.grib2.gz'),
        '') AS url,
    occurred_at,
    max_size_in,
    cells,
    document_url,
    document_sha256,
    publisher_version,
    retrieved_at
FROM
(
    SELECT
        publisher,
        record_id,
        record_key,
        occurred_at,
        any(observations.lat) AS lat,
        any(observations.lon) AS lon,
        max(size_in) AS max_size_in,
        count() AS cells,
        document_url,
        document_sha256,
        publisher_version,
        retrieved_at
    FROM observations
    GROUP BY publisher, record_id, record_key, occurred_at, document_url, document_sha256, publisher_version, retrieved_at
)
COMMENT 'Every record that an answer may cite: its id, where to look it up, and the document it was read from with its hash'
