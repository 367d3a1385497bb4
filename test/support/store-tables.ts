import { tableName } from '../../services/store/projections.ts';
import type { Store } from '../../services/store/store.ts';

const tables = ['observations', 'set_aside', 'storm_reports', 'feed_status', 'coverage'] as const;

export type TableDump = Record<(typeof tables)[number], string[]>;

/**
 * What the tables of a version say, one line of JSON a row, in one order whatever the parts: equal dumps are equal views. Nothing in these
 * tables tells when a row was stored, so every column is compared.
 */
export async function dumpTables(store: Store, version = 1): Promise<TableDump> {
  const dump = {
    observations: [],
    set_aside: [],
    storm_reports: [],
    feed_status: [],
    coverage: [],
  } as TableDump;
  for (const table of tables) {
    const rows = await store.rows(`SELECT * FROM ${tableName(table, version)} FINAL ORDER BY ALL`);
    dump[table] = rows.map((row) => JSON.stringify(row));
  }
  return dump;
}
