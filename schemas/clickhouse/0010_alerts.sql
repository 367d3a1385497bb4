-- Messages of the National Weather Service about events that may bring hail. Forecasts of threat: never cited, no answer reads them.
-- A row is a message, and the one of an event with the latest sent_at says how the event stands; a message that cancels names no hail, so
-- what was warned of stands in the rows before it. Read with FINAL. The events of a day, the newest message and the largest tag of each:
--   SELECT alert_key, argMax(state, (sent_at, revision)) AS state, max(max_hail_in) AS largest_in, min(sent_at) AS first_sent_at
--   FROM alerts_v1 FINAL GROUP BY alert_key HAVING toDate(first_sent_at) = '2026-07-09'
CREATE TABLE IF NOT EXISTS alerts_v{version}
(
    alert_key       String                         COMMENT 'The event: office/phenomenon/significance/number/year, or office/product/first message where it has no number',
    sent_at         DateTime64(3, 'UTC')           COMMENT 'When the message was sent; of an event''s messages the latest counts',
    message_id      String                         COMMENT 'The publisher''s identifier of the message',
    office          LowCardinality(String)         COMMENT 'The four letters of the issuing office',
    phenomenon      LowCardinality(String)         COMMENT 'SV severe thunderstorm, TO tornado, MA marine; empty for statements',
    significance    LowCardinality(String)         COMMENT 'W warning; empty for statements',
    etn             Nullable(UInt16)               COMMENT 'Number of the event, counted by office, phenomenon and year',
    year            UInt16                         COMMENT 'UTC year in which the event began',
    event           LowCardinality(String)         COMMENT 'The event''s name in the publisher''s words',
    state           LowCardinality(String)         COMMENT 'active, cancelled or expired: what the message makes of the event; an active one ends by its times without another message',
    vtec_action     LowCardinality(String)         COMMENT 'NEW, CON, CAN and so on; empty for statements',
    message_type    LowCardinality(String)         COMMENT 'Alert, Update or Cancel',
    effective_at    Nullable(DateTime64(3, 'UTC')) COMMENT 'From when the message is in effect',
    onset_at        Nullable(DateTime64(3, 'UTC')) COMMENT 'Expected begin of the event',
    expires_at      Nullable(DateTime64(3, 'UTC')) COMMENT 'When the message expires',
    ends_at         Nullable(DateTime64(3, 'UTC')) COMMENT 'When the event ends; null where not said',
    max_hail_in     Nullable(Float64)              COMMENT 'Size that the hail tag names, inches; null without a tag, with a tag of none or one that cannot be read',
    hail_qualifier  LowCardinality(String)         COMMENT 'What the tag says before its number: up to; mostly empty',
    hail_tag        LowCardinality(String)         COMMENT 'The tag as served; empty where there is none',
    hail_threat     LowCardinality(String)         COMMENT 'RADAR INDICATED or OBSERVED; empty where not said',
    damage_threat   LowCardinality(String)         COMMENT 'CONSIDERABLE or DESTRUCTIVE; empty where not said',
    area_desc       String                         COMMENT 'Names of counties or zones',
    polygons        MultiPolygon                   COMMENT 'The warned area: polygons, of each the outline first and then its holes, as rings of (longitude, latitude)',
    replaced_by     String                         COMMENT 'The message that took this one''s place; empty where not said',
    document_url    LowCardinality(String)         COMMENT 'URL of the document the message was read from',
    document_sha256 String                         COMMENT 'SHA-256 of that document''s bytes',
    retrieved_at    DateTime64(3, 'UTC')           COMMENT 'When the document was read',
    log_partition   UInt16                         COMMENT 'Partition of hail.alert.v1 that holds the fact',
    revision        UInt64                         COMMENT 'Offset of the fact in that partition; the highest of a message counts'
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (alert_key, sent_at, message_id)
COMMENT 'Warnings and statements of the National Weather Service that may bring hail, message by message; never cited';
