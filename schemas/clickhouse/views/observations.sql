-- What answers may cite, as analysts read it: degrees, the text of the geohash, one product of the grids. Every other view of hail reads
-- this one. FINAL leaves out what was corrected or withdrawn.
CREATE OR REPLACE VIEW observations
(
    occurred_at       DateTime64(3, 'UTC')   COMMENT 'Start of the span of the hail, UTC',
    ended_at          DateTime64(3, 'UTC')   COMMENT 'End of the span; equal to occurred_at for an instant',
    convective_day    Date32                 COMMENT 'The day of hail science, from 12:00 UTC to 12:00 UTC, by its start',
    publisher         LowCardinality(String) COMMENT 'NOAA_SED, NEXRAD_SWDI, MRMS_MESH or COCORAHS',
    product           LowCardinality(String) COMMENT 'Of a grid: the MRMS product, the one that answers are made of; empty for the others',
    size_in           Float64                COMMENT 'Diameter of the largest stone in inches, as published, rounded half up to two decimals',
    lat               Float64                COMMENT 'Latitude in degrees north; of a grid the centre of the cell',
    lon               Float64                COMMENT 'Longitude in degrees east, so negative in the United States',
    geohash           String                 COMMENT 'Geohash of five letters, a cell of about 4.9 km; a cell owns its western and southern edge',
    cell              UInt32                 COMMENT 'The same as a number of 25 bits: the key of the table. A condition on it reads few rows, one on geohash reads all',
    record_id         String                 COMMENT 'Identifier for citing, as the publisher writes it; need not be unique',
    record_key        String                 COMMENT 'Identity of the record at its publisher; the cells of one granule share it',
    status            LowCardinality(String) COMMENT 'preliminary or final',
    sevprob           Nullable(UInt8)        COMMENT 'Probability of severe hail in percent, NEXRAD_SWDI only; null of the others and where it gives none',
    prob              Nullable(UInt8)        COMMENT 'Probability of hail in percent, NEXRAD_SWDI only; null of the others and where it gives none',
    reporter          LowCardinality(String) COMMENT 'Who saw it, in the publisher''s words; empty where not said',
    state             LowCardinality(String) COMMENT 'Postal code of the state that the publisher files the record under; empty of radar and grids',
    county            LowCardinality(String) COMMENT 'County that the publisher files the record under, in capitals; NOAA_SED only',
    county_fips       LowCardinality(String) COMMENT 'The Census Bureau''s five digits of that county; empty where the publisher gives none',
    document_url      LowCardinality(String) COMMENT 'URL of the document the record was read from',
    document_sha256   LowCardinality(String) COMMENT 'SHA-256 of that document''s bytes',
    publisher_version LowCardinality(String) COMMENT 'The publisher''s version of the record or its document; empty where it has none',
    retrieved_at      DateTime64(3, 'UTC')   COMMENT 'When the document was read'
)
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS SELECT
    occurred_at,
    ended_at,
    toDate32(occurred_at - INTERVAL 12 HOUR) AS convective_day,
    publisher,
    if(publisher = 'MRMS_MESH', splitByChar('/', record_key)[1], '') AS product,
    size_in,
    lat / 1e6 AS lat,
    lon / 1e6 AS lon,
    arrayStringConcat(arrayMap(
        shift -> substring('0123456789bcdefghjkmnpqrstuvwxyz', bitAnd(bitShiftRight(cell, shift), 31) + 1, 1),
        [20, 15, 10, 5, 0])) AS geohash,
    cell,
    record_id,
    record_key,
    status,
    sevprob,
    prob,
    reporter,
    state,
    county,
    county_fips,
    document_url,
    document_sha256,
    publisher_version,
    retrieved_at
FROM observations_v{observations} FINAL
-- Of two products of one radar network one hail would count twice.
WHERE publisher != 'MRMS_MESH' OR startsWith(record_key, '{mrms_product}/')
COMMENT 'Hail that answers may cite: one row for each record, of a grid one for each cell of half an inch and more. Withdrawn and replaced records are left out. Reads observations_v{observations} and the product {mrms_product}'
