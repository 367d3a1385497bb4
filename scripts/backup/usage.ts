import { closeSync, createReadStream, fsyncSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { apiRequestColumns } from '../../services/store/api_requests/row.ts';
import { readProjections, servingVersion, tableName } from '../../services/store/projections.ts';
import { isMissingTable, type Store, type Value } from '../../services/store/store.ts';
import { refuse } from './parts.ts';

const rows_an_insert = 10_000;

/**
 * Saves every row of usage, a JSON array a line, day by day so that memory stays small. The log keeps its facts for 400 days; what is older
 * is in this view alone. Returns how many rows.
 */
export async function saveUsage(store: Store, path: string): Promise<number> {
  const file = openSync(path, 'wx');
  let saved = 0;
  try {
    const table = await usageTable(store);
    const days =
      table === null
        ? []
        : await store.rows<{ day: string }>(`SELECT DISTINCT toDate(at) AS day FROM ${table} ORDER BY day`);
    for (const { day } of days) {
      const columns = apiRequestColumns.map((name) => (name === 'at' ? 'toString(at) AS at_text' : name));
      const rows = await store.rows<Record<string, Value>>(
        `SELECT ${columns.join(', ')} FROM ${table ?? ''} FINAL WHERE toDate(at) = {day:Date} ORDER BY at, request_id`,
        { day },
      );
      const lines = rows.map((row) =>
        JSON.stringify(apiRequestColumns.map((name) => row[name === 'at' ? 'at_text' : name])),
      );
      if (lines.length > 0) writeSync(file, `${lines.join('\n')}\n`);
      saved += rows.length;
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return saved;
}

/** Writes saved usage back. A row that is there already is the same row: doing it twice changes nothing. */
export async function restoreUsage(store: Store, path: string): Promise<number> {
  const table = await usageTable(store);
  if (table === null)
    throw refuse('The store has no view of usage yet: start the service, and restore usage when it answers.');
  let restored = 0;
  let waiting: Value[][] = [];
  const write = async (): Promise<void> => {
    await store.insert(table, [...apiRequestColumns], waiting);
    restored += waiting.length;
    waiting = [];
  };
  for await (const line of createInterface({ input: createReadStream(path) })) {
    waiting.push(JSON.parse(line) as Value[]);
    if (waiting.length >= rows_an_insert) await write();
  }
  await write();
  return restored;
}

async function usageTable(store: Store): Promise<string | null> {
  try {
    const version = servingVersion(await readProjections(store), 'api-requests');
    return version === null ? null : tableName('api_requests', version);
  } catch (error) {
    if (isMissingTable(error)) return null;
    throw error;
  }
}
