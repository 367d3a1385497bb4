-- Prunes by cells, which are the table's key, then measures as every answer of the API does: haversine on the mean Earth radius, a mile of
-- 1,609.344 m, the unrounded distance against the radius, the rim inside. The place is rounded to millionths of a degree first, as the API's.
CREATE OR REPLACE VIEW hail_near
(
    distance_mi       Float64                COMMENT 'Great-circle distance from the place asked, miles, unrounded',
    occurred_at       DateTime64(3, 'UTC')   COMMENT 'Start of the span of the hail, UTC',
    ended_at          DateTime64(3, 'UTC')   COMMENT 'End of the span; equal to occurred_at for an instant',
    convective_day    Date32                 COMMENT 'The day of hail science, from 12:00 UTC to 12:00 UTC, by its start',
    publisher         LowCardinality(String) COMMENT 'NOAA_SED, NEXRAD_SWDI, MRMS_MESH or COCORAHS',
    product           LowCardinality(String) COMMENT 'Of a grid: the MRMS product, the one that answers are made of; empty for the others',
    size_in           Float64                COMMENT 'Diameter of the largest stone in inches, as published, rounded half up to two decimals',
    lat               Float64                COMMENT 'Latitude in degrees north; of a grid the centre of the cell',
    lon               Float64                COMMENT 'Longitude in degrees east, so negative in the United States',
    geohash           String                 COMMENT 'Geohash of five letters that the record lies in',
    cell              UInt32                 COMMENT 'The same as a number of 25 bits',
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
    document_sha256   LowCardinality(String) COMMENT 'SHA-256 of that document''s bytes'
)
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS WITH
    floor({lat:Float64} * 1e6 + 0.5) / 1e6 AS place_lat,
    floor({lon:Float64} * 1e6 + 0.5) / 1e6 AS place_lon,
    pi() / 180 AS radian,
    sin((lat - place_lat) * radian / 2) AS half_lat,
    sin((lon - place_lon) * radian / 2) AS half_lon,
    half_lat * half_lat + cos(place_lat * radian) * cos(lat * radian) * half_lon * half_lon AS chord,
    2 * 6371008.8 * asin(least(1., sqrt(chord))) AS distance_m
SELECT
    distance_m / 1609.344 AS distance_mi,
    occurred_at,
    ended_at,
    convective_day,
    publisher,
    product,
    size_in,
    lat,
    lon,
    geohash,
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
    document_sha256
FROM observations
WHERE cell IN (SELECT cell FROM hail_cells(lat = {lat:Float64}, lon = {lon:Float64}, radius_mi = {radius_mi:Float64}))
  AND distance_mi <= {radius_mi:Float64}
COMMENT 'hail_near(lat = …, lon = …, radius_mi = …): hail within so many miles of a place, at most 100; ask further with WHERE'
