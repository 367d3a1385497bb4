-- One row for each request that came with a live key, refused ones (429) too: usage and audit. Neither an address nor a key is here.
-- Facts are kept in the log for 400 days; what is older stays in this table and cannot be rebuilt. Read with FINAL: a batch of facts whose
-- append was not confirmed is appended again. What a partner used in a month:
--   SELECT toDate(at) AS day, count() AS requests, countIf(status = 200) AS answered FROM api_requests_v1 FINAL
--   WHERE key_id = '5f3a09c1' AND at >= '2026-11-01' AND at < '2026-12-01' GROUP BY day ORDER BY day
CREATE TABLE IF NOT EXISTS api_requests_v{version}
(
    request_id          String                         COMMENT 'The request_id that the answer carried',
    key_id              LowCardinality(String)         COMMENT 'The public part of the key: 8 hexadecimal characters',
    operation           LowCardinality(String)         COMMENT 'verify, score, history or lookup',
    status              Nullable(UInt16)               COMMENT 'HTTP status; null where the client had gone before the answer was out',
    duration_ms         Float64                        COMMENT 'From the request''s coming to the end of its answer, milliseconds',
    methodology_version LowCardinality(String)         COMMENT 'Version of the methodology in force',
    geohash_4           LowCardinality(String)         COMMENT 'Cell of about 20 by 39 km that the property lies in; empty where no place was found',
    at                  DateTime64(3, 'UTC')           COMMENT 'When the request came',
    log_partition       UInt16                         COMMENT 'Partition of hail.api-request.v1 that holds the fact',
    revision            UInt64                         COMMENT 'Offset of the fact in that partition; the highest of a request counts'
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (key_id, at, request_id)
COMMENT 'Requests with a key, for usage and audit; no address and no key'
