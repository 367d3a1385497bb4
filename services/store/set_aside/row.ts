import { storedInstant } from '../projections.ts';
import type { Value } from '../store.ts';

/** One row of `set_aside_v<n>`: a record no answer may use, or the end of its being set aside. */
export interface SetAsideRow {
  publisher: string;
  record_key: string;
  record_id: string;
  reason: string;
  occurred_at: number | null;
  lat: number | null;
  lon: number | null;
  size_in: number | null;
  time_zone: string;
  state: string;
  county: string;
  county_fips: string;
  document_url: string;
  document_sha256: string;
  log_partition: number;
  revision: number;
  is_deleted: 0 | 1;
}

export const setAsideColumns = [
  'publisher',
  'record_key',
  'record_id',
  'reason',
  'occurred_at',
  'lat',
  'lon',
  'size_in',
  'time_zone',
  'state',
  'county',
  'county_fips',
  'document_url',
  'document_sha256',
  'log_partition',
  'revision',
  'is_deleted',
] as const satisfies readonly (keyof SetAsideRow)[];

export function setAsideValues(row: SetAsideRow): Value[] {
  return setAsideColumns.map((column) =>
    column === 'occurred_at' && row.occurred_at !== null ? storedInstant(row.occurred_at) : row[column],
  );
}
