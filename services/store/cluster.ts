import type { ClickHouseSettings } from '@clickhouse/client';

/**
 * One server or a replicated cluster: one setting, `CLICKHOUSE_CLUSTER`, and the schema files are the same for both.
 *
 * On a cluster the database has the engine Replicated: it keeps its own log of definitions in Keeper, so every CREATE, ALTER, DROP and
 * view made on one replica is made on all, and a replica that was away makes up for it when it comes back. With `ON CLUSTER` at each
 * statement the ones that a replica missed would have to be found out. Tables get their paths from the server (`default_replica_path`,
 * by the table's UUID), since a Replicated database refuses paths in statements.
 *
 * How answers stay exact: every process talks to one replica, the one that CLICKHOUSE_URL names, and an insert counts as done when a
 * majority of all replicas holds it (`insert_quorum = auto`). On the one replica a read after a write sees it, as on a single server. The
 * other way, `select_sequential_consistency`, lets readers choose any replica, but it needs `insert_quorum_parallel = 0`: one insert at a
 * time for each table, while the projector writes one for each partition, and a question to Keeper for each statement of an answer.
 * The majority is for the day the replica is lost: no position can then be on another whose rows are nowhere. `catchUp` does the rest.
 */
export function forCluster(statement: string, cluster: string | undefined): string {
  if (cluster === undefined) return statement;
  const database = made_database.exec(statement);
  if (database !== null) {
    const [, name = ''] = database;
    return (
      `CREATE DATABASE IF NOT EXISTS ${name} ON CLUSTER '${cluster}' ` +
      `ENGINE = Replicated('/clickhouse/databases/${name}', '{shard}', '{replica}')`
    );
  }
  return statement.replace(text_or_engine, (found, engine: string | undefined) =>
    engine === undefined ? found : found.replace(engine, `Replicated${engine}`),
  );
}

const made_database = /^\s*CREATE DATABASE IF NOT EXISTS (\w+) ENGINE = Atomic\s*$/;
/** A comment column may speak of an engine, so texts are passed over whole. */
const text_or_engine = /'(?:[^'\\]|\\.|'')*'|\bENGINE\s*=\s*((?!Replicated)\w*MergeTree)\b/g;

/** Settings of every insert on a cluster. */
export const quorum: ClickHouseSettings = {
  insert_quorum: 'auto',
  // Partitions of one topic are written side by side.
  insert_quorum_parallel: 1,
  // Shorter than any process waits for an insert, so that the reason it hears is the server's.
  insert_quorum_timeout: 15_000,
};

/** Settings of every definition on a cluster: a replica that is away catches up by itself, and one that hangs is not waited for for ever. */
export const definitions: ClickHouseSettings = {
  // The client's list of modes is older than this one, and the server knows it.
  distributed_ddl_output_mode: 'null_status_on_timeout_only_active' as 'null_status_on_timeout',
  distributed_ddl_task_timeout: '30',
  // A table that a replica had alone would be missing on the others without a word.
  database_replicated_allow_only_replicated_engine: 1,
};
