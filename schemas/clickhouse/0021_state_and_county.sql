-- What a publisher files a record under. Not found out from the place, so a grid has none, and of radar there is none. Empty where not said.
ALTER TABLE observations_v{version}
    ADD COLUMN IF NOT EXISTS state LowCardinality(String)
        COMMENT 'Postal code of the state that the publisher files the record under; empty where it says none' AFTER reporter,
    ADD COLUMN IF NOT EXISTS county LowCardinality(String)
        COMMENT 'County that the publisher files the record under, in capitals; Storm Events only' AFTER state,
    ADD COLUMN IF NOT EXISTS county_fips LowCardinality(String)
        COMMENT 'The Census Bureau''s five digits of that county; empty where the publisher gives none' AFTER county;
ALTER TABLE set_aside_v{version}
    ADD COLUMN IF NOT EXISTS state LowCardinality(String)
        COMMENT 'Postal code of the state that the publisher files the record under; empty where it says none' AFTER time_zone,
    ADD COLUMN IF NOT EXISTS county LowCardinality(String)
        COMMENT 'County that the publisher files the record under, in capitals; Storm Events only' AFTER state,
    ADD COLUMN IF NOT EXISTS county_fips LowCardinality(String)
        COMMENT 'The Census Bureau''s five digits of that county; empty where the publisher gives none' AFTER county;
ALTER TABLE storm_reports_v{version}
    ADD COLUMN IF NOT EXISTS state LowCardinality(String)
        COMMENT 'Postal code of the state of the report; empty where it says none' AFTER reporter,
    ADD COLUMN IF NOT EXISTS county LowCardinality(String)
        COMMENT 'County of the report, in capitals; empty where it says none' AFTER state
