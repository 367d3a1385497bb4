CREATE OR REPLACE VIEW set_aside
(
    publisher       LowCardinality(String)         COMMENT 'Publisher of the record',
    record_id       String                         COMMENT 'Identifier for citing',
    record_key      String                         COMMENT 'Identity of the record at its publisher',
    reason          LowCardinality(String)         COMMENT 'no_time, no_place or no_size: the first that holds',
    occurred_at     Nullable(DateTime64(3, 'UTC')) COMMENT 'Start of the span, UTC; null where unknown',
    lat             Nullable(Float64)              COMMENT 'Latitude in degrees north; null where unknown',
    lon             Nullable(Float64)              COMMENT 'Longitude in degrees east; null where unknown',
    size_in         Nullable(Float64)              COMMENT 'Size in inches, rounded half up to two decimals; null where unknown',
    time_zone       LowCardinality(String)         COMMENT 'The publisher''s time-zone label; empty where it gives none',
    state           LowCardinality(String)         COMMENT 'Postal code of the state that the publisher files the record under; empty where it says none',
    county          LowCardinality(String)         COMMENT 'County that the publisher files the record under, in capitals; NOAA_SED only',
    county_fips     LowCardinality(String)         COMMENT 'The Census Bureau''s five digits of that county; empty where the publisher gives none',
    document_url    LowCardinality(String)         COMMENT 'URL of the document the record was read from',
    document_sha256 LowCardinality(String)         COMMENT 'SHA-256 of that document''s bytes'
)
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS SELECT
    publisher,
    record_id,
    record_key,
    reason,
    occurred_at,
    lat / 1e6 AS lat,
    lon / 1e6 AS lon,
    size_in,
    time_zone,
    state,
    county,
    county_fips,
    document_url,
    document_sha256
FROM set_aside_v{observations} FINAL
COMMENT 'Records that are stored and counted but take part in no answer, and why. Reads set_aside_v{observations}'
