import { HailmarkError } from '../runtime/errors.ts';
import type { Store } from './store.ts';

/** Refuses a database that was made for the other kind of deployment: its tables would stay what they are, whatever new ones become. */
export async function requireDatabaseKind(
  outside: Store,
  database: string,
  cluster: string | undefined,
): Promise<void> {
  const [found] = await outside.rows<{ engine: string }>(
    'SELECT engine FROM system.databases WHERE name = {database:String}',
    { database },
  );
  if (found === undefined || (found.engine === 'Replicated') === (cluster !== undefined)) return;
  throw new HailmarkError(
    'HAIL_DATABASE_KIND',
    cluster === undefined
      ? `The database ${database} is replicated, and CLICKHOUSE_CLUSTER is not set: set it to the cluster's name.`
      : `CLICKHOUSE_CLUSTER is set, and the database ${database} was made for one server: unset it, or name a new database in ` +
          'CLICKHOUSE_DATABASE, which the projector then fills from the log.',
  );
}

/**
 * Waits until this replica has everything that was acknowledged anywhere. Without it a projector that starts on another replica than the
 * last one could read a position before the rows that lie under it have been fetched, and go on behind them.
 */
export async function catchUp(inside: Store, database: string, cluster: string | undefined): Promise<void> {
  if (cluster === undefined) return;
  await inside.command(`SYSTEM SYNC DATABASE REPLICA ${database}`);
  const tables = await inside.rows<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = {database:String} AND engine LIKE 'Replicated%' ORDER BY name`,
    { database },
  );
  for (const { name } of tables) await inside.command(`SYSTEM SYNC REPLICA ${database}.${name} LIGHTWEIGHT`);
}
