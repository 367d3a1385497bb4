-- Over large regions a condition on cell, not on geohash, is what reads few rows.
CREATE OR REPLACE VIEW hail_days
(
    geohash        String                 COMMENT 'Geohash of five letters: the cell, about 4.9 km',
    cell           UInt32                 COMMENT 'The same as a number of 25 bits: the key. A condition on it reads few rows, one on geohash reads all',
    convective_day Date32                 COMMENT 'The day of hail science, from 12:00 UTC to 12:00 UTC, by its start',
    max_size_in    Float64                COMMENT 'Largest size that any publisher gives, inches',
    ground_size_in Nullable(Float64)      COMMENT 'Largest size that a person saw (NOAA_SED, COCORAHS), inches; null where nobody reported',
    radar_size_in  Nullable(Float64)      COMMENT 'Largest size that radar estimates (NEXRAD_SWDI, MRMS_MESH), inches; null where none does',
    records        UInt64                 COMMENT 'Records of the day in the cell; a granule counts once',
    publishers     Array(String)          COMMENT 'Who says so, in the order of the alphabet',
    first_at       DateTime64(3, 'UTC')   COMMENT 'Start of the first of them, UTC',
    last_at        DateTime64(3, 'UTC')   COMMENT 'End of the last of them, UTC'
)
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS SELECT
    any(observations.geohash) AS geohash,
    cell,
    convective_day,
    max(size_in) AS max_size_in,
    maxOrNullIf(size_in, publisher IN ('NOAA_SED', 'COCORAHS')) AS ground_size_in,
    maxOrNullIf(size_in, publisher IN ('NEXRAD_SWDI', 'MRMS_MESH')) AS radar_size_in,
    uniqExact(publisher, record_key) AS records,
    arraySort(groupUniqArray(toString(publisher))) AS publishers,
    min(occurred_at) AS first_at,
    max(ended_at) AS last_at
FROM observations
GROUP BY cell, convective_day
COMMENT 'Days on which hail fell, by geohash cell: how large, seen by whom. A day without a row is a day without hail only where coverage says that it was read'
