CREATE OR REPLACE VIEW storm_reports
(
    occurred_at     Nullable(DateTime64(3, 'UTC')) COMMENT 'When it was reported to have fallen, UTC; null is unknown',
    convective_day  LowCardinality(String)         COMMENT 'Convective day of the file, 12:00 UTC to 12:00 UTC, by its start',
    size_in         Nullable(Float64)              COMMENT 'Diameter in inches, rounded half up to two decimals; null is unknown',
    lat             Nullable(Float64)              COMMENT 'Latitude in degrees north; null is unknown',
    lon             Nullable(Float64)              COMMENT 'Longitude in degrees east; null is unknown',
    record_id       String                         COMMENT 'Content of the report: day, time, size, place; the publisher gives no identifier',
    reporter        LowCardinality(String)         COMMENT 'Weather office of the report; empty where not said',
    state           LowCardinality(String)         COMMENT 'Postal code of the state of the report; empty where it says none',
    county          LowCardinality(String)         COMMENT 'County of the report, in capitals; empty where it says none',
    document_url    LowCardinality(String)         COMMENT 'URL of the document the report was read from',
    document_sha256 LowCardinality(String)         COMMENT 'SHA-256 of that document''s bytes',
    retrieved_at    DateTime64(3, 'UTC')           COMMENT 'When the document was read'
)
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS SELECT
    occurred_at,
    slice AS convective_day,
    size_in,
    lat / 1e6 AS lat,
    lon / 1e6 AS lon,
    record_id,
    reporter,
    state,
    county,
    document_url,
    document_sha256,
    retrieved_at
FROM storm_reports_v{observations} FINAL
COMMENT 'Preliminary reports of the Storm Prediction Center; never part of an answer. Reads storm_reports_v{observations}'
