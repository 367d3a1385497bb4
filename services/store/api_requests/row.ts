import { storedInstant } from '../projections.ts';
import type { Value } from '../store.ts';

/** One row of `api_requests_v<n>`: one request with a key. `at` in epoch milliseconds. */
export interface ApiRequestRow {
  request_id: string;
  key_id: string;
  operation: string;
  status: number | null;
  duration_ms: number;
  methodology_version: string;
  geohash_4: string;
  at: number;
  log_partition: number;
  revision: number;
}

export const apiRequestColumns = [
  'request_id',
  'key_id',
  'operation',
  'status',
  'duration_ms',
  'methodology_version',
  'geohash_4',
  'at',
  'log_partition',
  'revision',
] as const satisfies readonly (keyof ApiRequestRow)[];

export function apiRequestValues(row: ApiRequestRow): Value[] {
  return apiRequestColumns.map((column) => (column === 'at' ? storedInstant(row.at) : row[column]));
}
