CREATE OR REPLACE VIEW alerts
(
    alert_key       String                         COMMENT 'The event: office/phenomenon/significance/number/year, or office/product/first message where it has no number',
    sent_at         DateTime64(3, 'UTC')           COMMENT 'When the message was sent, UTC; of an event''s messages the latest counts',
    message_id      String                         COMMENT 'The publisher''s identifier of the message',
    office          LowCardinality(String)         COMMENT 'The four letters of the issuing office',
    phenomenon      LowCardinality(String)         COMMENT 'SV severe thunderstorm, TO tornado, MA marine; empty for statements',
    event           LowCardinality(String)         COMMENT 'The event''s name in the publisher''s words',
    state           LowCardinality(String)         COMMENT 'active, cancelled or expired: what the message makes of the event; an active one ends by its times without another message',
    message_type    LowCardinality(String)         COMMENT 'Alert, Update or Cancel',
    onset_at        Nullable(DateTime64(3, 'UTC')) COMMENT 'Expected begin of the event, UTC; null where not said',
    ends_at         Nullable(DateTime64(3, 'UTC')) COMMENT 'When the event ends, UTC; null where not said',
    max_hail_in     Nullable(Float64)              COMMENT 'Size that the hail tag names, inches; null without a tag, with a tag of none or one that cannot be read',
    hail_qualifier  LowCardinality(String)         COMMENT 'What the tag says before its number: up to; mostly empty',
    hail_threat     LowCardinality(String)         COMMENT 'RADAR INDICATED or OBSERVED; empty where not said',
    damage_threat   LowCardinality(String)         COMMENT 'CONSIDERABLE or DESTRUCTIVE; empty where not said',
    area_desc       String                         COMMENT 'Names of counties or zones',
    polygons        MultiPolygon                   COMMENT 'The warned area: polygons, of each the outline first and then its holes, as rings of (longitude, latitude)',
    document_url    LowCardinality(String)         COMMENT 'URL of the document the message was read from',
    document_sha256 String                         COMMENT 'SHA-256 of that document''s bytes'
)
DEFINER = CURRENT_USER SQL SECURITY DEFINER
AS SELECT
    alert_key,
    sent_at,
    message_id,
    office,
    phenomenon,
    event,
    state,
    message_type,
    onset_at,
    ends_at,
    max_hail_in,
    hail_qualifier,
    hail_threat,
    damage_threat,
    area_desc,
    polygons,
    document_url,
    document_sha256
FROM alerts_v{alerts} FINAL
COMMENT 'Warnings and statements of the National Weather Service that may bring hail, message by message; never cited. Reads alerts_v{alerts}'
