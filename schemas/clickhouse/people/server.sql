-- People on a ClickHouse server: what the local engine gives every name but `default`, as a role. Apply as an administrator, and again after
-- each upgrade of Hailmark; every statement may be repeated:
--
--   clickhouse-client --queries-file schemas/clickhouse/people/server.sql
--
-- The database is called `hailmark` here; where CLICKHOUSE_DATABASE names another, change the grants. Then one user for each person:
--
--   CREATE USER ann IDENTIFIED WITH sha256_password BY '<a password of her own>' DEFAULT ROLE hailmark_analyst;
--   GRANT hailmark_analyst TO ann;
--
-- The views read their tables with the rights of the user who made them, which is the projector's CLICKHOUSE_USER. So people need no right on
-- a table, and are given none: neither on tables, nor on files, URLs or other hosts, which are rights of their own.

CREATE ROLE IF NOT EXISTS hailmark_analyst;

GRANT SELECT ON hailmark.observations TO hailmark_analyst;
GRANT SELECT ON hailmark.hail_cells TO hailmark_analyst;
GRANT SELECT ON hailmark.hail_near TO hailmark_analyst;
GRANT SELECT ON hailmark.hail_days TO hailmark_analyst;
GRANT SELECT ON hailmark.citations TO hailmark_analyst;
GRANT SELECT ON hailmark.coverage TO hailmark_analyst;
GRANT SELECT ON hailmark.feed_status TO hailmark_analyst;
GRANT SELECT ON hailmark.set_aside TO hailmark_analyst;
GRANT SELECT ON hailmark.storm_reports TO hailmark_analyst;
GRANT SELECT ON hailmark.alerts TO hailmark_analyst;
GRANT SELECT ON hailmark.usage_daily TO hailmark_analyst;
GRANT SELECT ON hailmark.dead_letters TO hailmark_analyst;

-- The limits of a statement are those of the local engine. readonly = 2 lets clients set how answers are written; what is CONST nobody can
-- move, and of what has a MAX a statement may ask for less: Go's client does for each deadline, JDBC for the first rows. 0 would be no limit,
-- hence MIN. A limit of all statements of a user together keeps several at once from taking the services' memory.
CREATE SETTINGS PROFILE OR REPLACE hailmark_analyst SETTINGS
    readonly = 2 CONST,
    allow_ddl = 0 CONST,
    allow_introspection_functions = 0 CONST,
    log_queries = 1 CONST,
    max_execution_time = 30 MIN 1 MAX 30,
    timeout_overflow_mode = 'throw' CONST,
    max_memory_usage = 1000000000 MIN 1 MAX 1000000000,
    max_memory_usage_for_user = 2000000000 CONST,
    max_result_rows = 1000000 MIN 1 MAX 1000000,
    max_result_bytes = 134217728 MIN 1 MAX 134217728,
    result_overflow_mode = 'throw',
    max_concurrent_queries_for_user = 4 CONST,
    max_temporary_data_on_disk_size_for_user = 10000000000 CONST,
    -- Views with parameters keep to their maker's rights under the analyzer that is the default, alone.
    allow_experimental_analyzer = 1 CONST
TO hailmark_analyst;

CREATE QUOTA OR REPLACE hailmark_analyst KEYED BY user_name
    FOR INTERVAL 1 hour MAX queries = 2000, execution_time = 900
TO hailmark_analyst;
