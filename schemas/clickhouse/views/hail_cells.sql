-- The cells that may hold a place within a radius: the box around the circle, padded outwards, in whole cells. Cells are those of
-- services/hail/geo/geohash.ts, 13 bits of longitude and 12 of latitude in Morton order, which a test holds against it. Longitudes wrap at
-- 180 and widen to all of them at a pole.
CREATE OR REPLACE VIEW hail_cells
(
    cell    UInt32 COMMENT 'Cell as its 25 bits, as in observations',
    geohash String COMMENT 'The same as text of five letters'
)
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS WITH
    -- Not a number fails every comparison, so what is asked is whether all is well. What is refused is computed with 0 until it is said.
    abs({lat:Float64}) <= 90 AS is_lat,
    abs({lon:Float64}) <= 180 AS is_lon,
    {radius_mi:Float64} > 0 AND {radius_mi:Float64} <= 100 AS is_radius,
    throwIf(NOT is_lat, 'lat is a latitude in degrees, from -90 to 90')
        + throwIf(NOT is_lon, 'lon is a longitude in degrees, from -180 to 180; those of the United States are negative')
        + throwIf(NOT is_radius, 'radius_mi is a radius in miles, above 0 and at most 100') AS refused,
    if(is_lat, {lat:Float64}, 0) AS centre_lat,
    if(is_lon, {lon:Float64}, 0) AS centre_lon,
    if(is_radius, {radius_mi:Float64}, 0) * 1609.344 / 6371008.8 AS angle,
    degrees(angle) + 2e-6 AS lat_reach,
    greatest(-90., centre_lat - lat_reach) AS south,
    least(90., centre_lat + lat_reach) AS north,
    sin(angle) / cos(radians(centre_lat)) AS sine,
    if(north >= 90 OR south <= -90 OR sine >= 1, 180., degrees(asin(least(sine, 1.))) + 2e-6) AS lon_reach,
    toInt64(floor((south + 90) * 4096 / 180)) AS first_y,
    least(4095, toInt64(floor((north + 90) * 4096 / 180))) AS last_y,
    toInt64(floor((centre_lon - lon_reach + 180) * 8192 / 360)) AS first_x,
    least(first_x + 8191, toInt64(floor((centre_lon + lon_reach + 180) * 8192 / 360))) AS last_x
SELECT
    toUInt32(mortonEncode(toUInt32(positiveModulo(x, 8192)), toUInt32(y))) AS cell,
    arrayStringConcat(arrayMap(
        shift -> substring('0123456789bcdefghjkmnpqrstuvwxyz', bitAnd(bitShiftRight(cell, shift), 31) + 1, 1),
        [20, 15, 10, 5, 0])) AS geohash
FROM
(
    -- One after the other: of two equal ranges in one SELECT the engine makes one, and only the diagonal would be left.
    SELECT y, range(first_x, last_x + 1) AS xs
    FROM (SELECT arrayJoin(range(first_y, last_y + 1)) AS y WHERE refused = 0)
)
ARRAY JOIN xs AS x
COMMENT 'hail_cells(lat = …, lon = …, radius_mi = …): the geohash cells that hold every place within so many miles of a place; some hold none'
