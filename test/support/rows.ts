import assert from 'node:assert/strict';
import type { Store } from '../../services/store/store.ts';
import type { OracleRecord } from './oracle/records.ts';

/** The citable rows of the store as text that compares: id, time, place in micro-degrees, size. */
export async function liveRows(store: Store, publisher = '%'): Promise<string[]> {
  const rows = await store.rows(
    `SELECT publisher, record_id AS id, toUnixTimestamp64Milli(occurred_at) AS began, lat, lon, size_in AS size
     FROM observations_v1 FINAL WHERE publisher LIKE {publisher:String}`,
    { publisher },
  );
  return rows.map((row) => JSON.stringify(row));
}

/** Holds rows against what an independent reading says, as sets, and shows the difference only. */
export function assertSameRows(rows: readonly string[], records: readonly OracleRecord[]): void {
  const expected = records.map(({ publisher, id, began, lat, lon, size }) =>
    JSON.stringify({ publisher, id, began, lat: Math.round(lat * 1e6), lon: Math.round(lon * 1e6), size }),
  );
  const wanted = new Set(expected);
  const found = new Set(rows);
  assert.deepEqual(
    { missing: expected.filter((row) => !found.has(row)), invented: rows.filter((row) => !wanted.has(row)) },
    { missing: [], invented: [] },
  );
  assert.equal(rows.length, expected.length, 'a row stands twice');
}
