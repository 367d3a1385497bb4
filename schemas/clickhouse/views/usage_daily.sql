-- A key's partner is looked up in its newest state. Neither an address nor a key is in either table.
CREATE OR REPLACE VIEW usage_daily
(
    day       Date                   COMMENT 'UTC day on which the requests came',
    key_id    LowCardinality(String) COMMENT 'The public part of the key: 8 hexadecimal characters',
    partner   String                 COMMENT 'Whom the key was made for; empty where the key is not known here yet',
    operation LowCardinality(String) COMMENT 'verify, score, history or lookup',
    requests  UInt64                 COMMENT 'All requests with the key, refused ones too',
    counted   UInt64                 COMMENT 'Those that count against the key''s limits: 200, 400, 422, and clients that went away',
    answered  UInt64                 COMMENT 'Answered with 200',
    refused   UInt64                 COMMENT 'Refused for what was asked: 400 and 422',
    limited   UInt64                 COMMENT 'Refused by a limit: 429',
    failed    UInt64                 COMMENT 'Failed on our side: 500 and above',
    gone      UInt64                 COMMENT 'The client had gone before the answer was out',
    places    UInt64                 COMMENT 'Different geohash cells of four letters that were asked about, about 20 by 39 km each',
    p50_ms    Float64                COMMENT 'Median duration, milliseconds: one that was measured, of two in the middle the longer',
    p95_ms    Float64                COMMENT '95th percentile of the duration, milliseconds: one that was measured'
)
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS SELECT
    toDate(at) AS day,
    key_id,
    any(keys.partner) AS partner,
    operation,
    count() AS requests,
    countIf(status IS NULL OR status IN (200, 400, 422)) AS counted,
    countIf(status = 200) AS answered,
    countIf(status IN (400, 422)) AS refused,
    countIf(status = 429) AS limited,
    countIf(status >= 500) AS failed,
    countIf(status IS NULL) AS gone,
    uniqExactIf(geohash_4, geohash_4 != '') AS places,
    quantileExact(0.5)(duration_ms) AS p50_ms,
    quantileExact(0.95)(duration_ms) AS p95_ms
FROM api_requests_v{api_requests} AS requests FINAL
LEFT JOIN (SELECT toString(key_id) AS key_id, partner FROM api_keys_v{api_keys} FINAL) AS keys ON toString(requests.key_id) = keys.key_id
GROUP BY day, requests.key_id AS key_id, operation
COMMENT 'Requests by day, key and operation: how many, how they ended, how long they took. Reads api_requests_v{api_requests} and api_keys_v{api_keys}'
